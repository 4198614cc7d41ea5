"""Who wins from here: a model of it, and what the mean of some deals says beside an evaluation."""
