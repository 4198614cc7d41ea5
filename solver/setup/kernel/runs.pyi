"""Plays of several tiles of one suit: paths from the lowest new tile upward, or blocks grown as for numbers."""
