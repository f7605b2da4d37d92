"""Plain text: for pipes, files and terminals without colour; 80 columns unless told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kcfg.cli.pages.pieces import Code, Grid, Heading, Line, Piece, Row, Table

WIDTH = 80
GAP = 2


def text(page: Iterable[Piece], width: int = WIDTH) -> str:
    """The page as text of lines that fit ``width`` where their words allow it."""
    return "".join(_piece(piece, width) for piece in page)


def _piece(piece: Piece, width: int) -> str:
    match piece:
        case Heading():
            return _heading(piece, width)
        case Line():
            return wrap(piece.text, width, piece.indent) + "\n"
        case Code():
            return "".join(f"{wrap(line, width, 4)}\n" for line in piece.text.splitlines())
        case Grid():
            return "".join(f"{line}\n" for line in grid(piece.pairs, width))
        case Table():
            return "".join(f"{line}\n" for line in table(piece, width))


def _heading(heading: Heading, width: int) -> str:
    text = wrap(heading.text, width)
    return f"{text}\n" if heading.level == 1 else f"\n{text}\n"


def wrap(words: str, width: int, indent: int = 0) -> str:
    """Words set to a width, every line ``indent`` columns in."""
    if len(words) + indent <= width:
        return " " * indent + words
    import textwrap

    return textwrap.fill(
        words,
        max(width, indent + 20),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )


def grid(pairs: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Name-value pairs in columns, filled downwards."""
    if not pairs:
        return []
    names = max(len(name) for name, _ in pairs)
    values = max(len(value) for _, value in pairs)
    cell = 2 + names + GAP + values
    across = max(1, (width + GAP) // (cell + GAP))
    down = -(-len(pairs) // across)
    cells = [f"  {name:<{names}}{'':{GAP}}{value:>{values}}" for name, value in pairs]
    return [(" " * GAP).join(cells[row::down]).rstrip() for row in range(down)]


def table(piece: Table, width: int) -> list[str]:
    """A table's lines; the last column wraps below itself when it is too long."""
    return [line for _, lines in rows(piece, width) for line in lines]


def rows(piece: Table, width: int) -> Iterator[tuple[Row, list[str]]]:
    """A table's rows with their lines; the headers, toned down, come first where there are any."""
    every = list(piece.rows)
    if any(column.header for column in piece.columns):
        every.insert(0, Row([column.header for column in piece.columns], "dim"))
    widths = [
        max((len(row.cells[i]) for row in every), default=0) for i in range(len(piece.columns))
    ]
    for row in every:
        yield row, _row(row.cells, piece, widths, width)


def stacked(piece: Table, width: int) -> Iterator[tuple[Row, list[str]]]:
    """The same for a table that is too wide: each row a paragraph, its numbers named."""
    for row in piece.rows:
        cells = zip(piece.columns, row.cells, strict=True)
        named = ((column.header if column.right else "", cell) for column, cell in cells if cell)
        words = "; ".join(f"{header} {cell}".strip() for header, cell in named)
        yield row, wrap(words, width, 2).splitlines()


def _row(cells: Sequence[str], piece: Table, widths: list[int], width: int) -> list[str]:
    start = "  "
    for cell, column, size in zip(cells[:-1], piece.columns[:-1], widths[:-1], strict=True):
        start += (f"{cell:>{size}}" if column.right else f"{cell:<{size}}") + " " * GAP
    last = cells[-1]
    if piece.columns[-1].right:
        return [f"{start}{last:>{widths[-1]}}".rstrip()]
    room = max(20, width - len(start))
    if len(last) <= room:
        return [(start + last).rstrip()]
    first, *rest = wrap(last, room).splitlines()
    return [start + first, *(" " * (len(start) - 2) + line for line in rest)]
