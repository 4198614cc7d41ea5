"""The tables of a board: links, owners and what squares are worth, by byte of a mask of squares."""
