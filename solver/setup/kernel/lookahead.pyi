"""Lookaheads: candidates played on for some plies in random deals of the hidden tiles."""
