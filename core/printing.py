"""Text from anywhere, made fit to be shown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 60
"""Characters of a given text that a message repeats in full."""


def shortened(text: str) -> str:
    """The text, its middle left out when long."""
    return f"{text[:20]}...{text[-10:]}" if len(text) > LONGEST else text


def printable(text: str) -> str:
    """The text with every character escaped that a terminal might act on."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def printable_lines(text: str) -> str:
    """The same for a message of several lines, which stay lines."""
    return "\n".join(map(printable, text.split("\n")))


def tell(message: str) -> None:
    """Say what is beside any result: to who listens, else as a warning of Python's."""
    if listening is not None:
        listening(message)
        return
    import warnings

    warnings.warn(message, stacklevel=2)


listening: Callable[[str], None] | None = None
"""What a program does with such messages, if it does anything."""
