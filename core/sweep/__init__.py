"""Grids of shapes: the kernels' own formulas over whole blocks of points at once.

NumPy is needed here and nowhere else; nothing outside this package imports it.
"""
