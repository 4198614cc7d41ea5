"""A turn as count problems for the sweep: the question, what its answer lays, its sets, its worth."""
