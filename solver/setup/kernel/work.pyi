"""The work space of a search for plays: a position is loaded into it; the one poll point ends it."""
