"""Limits of TMA tensor copies: asked where a block has any."""
