"""Tables as Markdown writes them."""

from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a line for each row; cells are text or code spans, on one line each."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def code(text: str) -> str:
    return f"`{text}`"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
