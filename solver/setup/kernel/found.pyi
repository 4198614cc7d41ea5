"""Plays that are found: counted, collected, or kept in the list of the best ones."""
