"""The set in which a freed joker ends, decided in every way: each becomes a case of its own."""
