"""Melds: the sets that a rack can make by itself, dearest first."""
