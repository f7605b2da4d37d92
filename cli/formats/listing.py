"""What the listing commands share: the same facts as a page, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kcfg.cli.pages.pieces import Piece
from kcfg.cli.render import draw


def show(format: str, facts: Any, page: Sequence[Piece]) -> None:
    """Write facts as JSON, or their page."""
    if format == "json":
        import json

        from kcfg.cli import console

        console.write(json.dumps(facts, indent=2) + "\n")
    else:
        draw(page)
