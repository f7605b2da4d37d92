"""Limits of clusters: asked where a block has one."""
