"""Limits of matrix instructions: asked where a block has any."""
