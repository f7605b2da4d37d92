"""Kernels of one's own, defined in YAML: a document with ``defines:`` becomes a class.

What comes out is one class below `Kernel`, built from declarations like those of a kernel that
is written in Python: nothing that uses it asks where it came from.
"""
