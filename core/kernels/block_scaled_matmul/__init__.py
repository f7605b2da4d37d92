"""Matmul of operands that are scaled in blocks: NVFP4, MXFP4, MXFP8, W4A8."""
