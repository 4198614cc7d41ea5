"""Prices of the row sweep, and the bounds that they give."""
