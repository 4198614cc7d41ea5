"""States and transitions of the row sweep."""
