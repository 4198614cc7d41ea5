"""The sets of the best path."""
