"""The automaton that reads rows of tiles."""
