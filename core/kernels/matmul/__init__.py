"""Matmul, its configuration given or chosen from the problem."""
