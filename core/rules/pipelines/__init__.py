"""Limits of pipelines: asked where a block has any."""
