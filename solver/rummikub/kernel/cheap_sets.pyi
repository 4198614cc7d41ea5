"""The sets of a bag that can be in an arrangement which changes little."""
