"""The best move by cases, where that of the relaxation is not legal."""
