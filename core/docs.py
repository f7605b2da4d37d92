"""Docstrings as text: paragraphs, without the line breaks and the indentation of the code."""

from __future__ import annotations


def paragraphs(docstring: str | None) -> str:
    """A docstring's paragraphs, each on one line; empty where Python was told to drop it."""
    lines = (line.strip() for line in (docstring or "").splitlines())
    whole = "\n".join(lines).strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in whole)


def one_line(text: str) -> str:
    """All of a text on one line, as a cell of a table has it."""
    return " ".join(text.split())
