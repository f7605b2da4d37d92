"""What is where in tensor memory: asked where a block says that it has any."""
