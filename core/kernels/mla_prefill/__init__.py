"""MLA prefill for Blackwell: fa4 over the uncompressed latent cache, with its own limits."""
