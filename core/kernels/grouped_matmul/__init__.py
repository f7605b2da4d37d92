"""Grouped (mixture of experts) matmul of operands that are scaled in blocks."""
