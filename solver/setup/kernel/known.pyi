"""What a player knows of a game, in one canonical order; read from what Python gives, and dealt out at random."""
