"""Sets of ways to have arranged tiles."""
