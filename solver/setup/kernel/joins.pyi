"""Blocks: the squares that tiles of one suit join where runs may branch."""
