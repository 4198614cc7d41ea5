"""The rules of jokers: a move is legal if some reading of both tables and some matching of their jokers allow it."""
