"""Weights of style, and bounds: the key of a play is a sum over its parts, and each part has a most."""
