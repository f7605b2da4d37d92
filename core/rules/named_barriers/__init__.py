"""Limits of named barriers: asked where a block has any."""
