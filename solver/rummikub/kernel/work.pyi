"""The work space of the search."""
