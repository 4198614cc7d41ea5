"""Openings: the best move that lays certain melds, best first over the melds, until the threshold is reached."""
