"""The graph of all moves of one position."""
