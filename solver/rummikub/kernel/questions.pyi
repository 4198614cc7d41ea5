"""A count problem from its counts to the best answer."""
