"""What a build must be like: asked where it is known what a compiler made."""
