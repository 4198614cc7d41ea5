"""All nodes and edges of a graph."""
