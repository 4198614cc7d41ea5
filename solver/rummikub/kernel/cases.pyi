"""One case: its best move, which may be the best so far, or the case waits to be decided further."""
