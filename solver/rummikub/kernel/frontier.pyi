"""The open nodes of the search."""
