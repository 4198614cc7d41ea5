"""What the search looks at."""
