"""Plays of several tiles of one number: sets of squares that lie in one component, each grown once."""
