"""Sets, and tables that keep their sets: their tiles, their worth, their canonical order."""
