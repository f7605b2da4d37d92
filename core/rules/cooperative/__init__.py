"""Limits of cooperative launches: asked where a block is of one."""
