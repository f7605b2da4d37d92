"""Ways to draw a page (``kcfg.cli.pages``): plain text, in colour, Markdown, HTML."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.cli.pages.pieces import Piece


def draw(page: Iterable[Piece]) -> None:
    """Show a page on standard output: in colour on a terminal, else as plain text.

    Plain text is as wide as COLUMNS says.
    """
    from kcfg.cli import console

    if console.is_terminal():
        from kcfg.cli.render import pretty

        pretty.draw(page)
    else:
        from kcfg.cli.render import plain

        console.write(plain.text(page, console.columns()))
