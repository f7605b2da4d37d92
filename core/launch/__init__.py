"""A block as it is launched, derived or written by hand: what the rules judge."""
