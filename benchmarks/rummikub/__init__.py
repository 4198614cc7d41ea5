"""Rummikub: the best move against public solvers, a plain integer programme and the naive search."""
