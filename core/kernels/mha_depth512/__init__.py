"""Attention forward at depths of 256 and 512, by pairs of CTAs."""
