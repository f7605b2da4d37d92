"""Expressions that people write: one grammar and one list of words, checked node by node."""
