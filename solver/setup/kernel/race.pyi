"""The state of a game: drawing, playing, swapping, and who has won."""
