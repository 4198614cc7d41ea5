"""Evaluations: what a play is worth in points by what it leaves to the next seats and to its own."""
