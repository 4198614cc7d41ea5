"""Measurements and long comparisons of Setup."""
