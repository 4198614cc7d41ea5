"""Plays of one tile: next to its number, or to a neighbour in its suit."""
