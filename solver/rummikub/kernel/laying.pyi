"""The best moves where no opening is asked for: with the whole table, or beside it."""
