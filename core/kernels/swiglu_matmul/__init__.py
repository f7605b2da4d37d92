"""Matmul fused with SwiGLU: two halves of N, of which one gates the other."""
