"""All ways of laying tiles on a set of squares, but for sets on which no play can be good enough."""
