"""The dive and A*."""
