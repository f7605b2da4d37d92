"""Limits of 1-D bulk copies: asked where a block has any."""
