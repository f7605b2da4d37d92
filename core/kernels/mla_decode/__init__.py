"""MLA decode (DeepSeek attention over its latent cache)."""
