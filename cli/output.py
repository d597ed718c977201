"""Tables for people, JSON for programs."""

import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of a table.")]

# results go to standard output, progress to standard error, so that pipes stay clean; where there
# is no terminal to ask for its width, tables get room for ids instead of 80 columns
console = Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 140)
progress_console = Console(file=sys.stderr)


def print_json(value: Any) -> None:
    """Decimals become strings without an exponent, times ISO 8601 in UTC; keys keep their order."""
    print(json.dumps(value, indent=2, default=_plain, ensure_ascii=False))  # noqa: T201 - the output


def _plain(value: Any) -> str:
    match value:
        case Decimal():
            return format(value, "f")
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
    raise TypeError(f"{type(value).__name__} has no JSON form")


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], right: Sequence[str] = ()
) -> None:
    """A table for people; the columns named in `right` hold numbers. An empty one says so.

    A cell is shown as it is: brackets in a title or in a reason are no markup, and characters that
    would steer the terminal, which a name can hold, are written out.
    """
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    count = 0
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
        count += 1
    if count:
        console.print(table)
    else:
        console.print(f"{title}: none", style="dim", highlight=False)


def _cell(value: Any) -> Text:
    if isinstance(value, Text):
        return value
    return Text("" if value is None else visible(str(value)))


def visible(text: str) -> str:
    """Control and direction characters as escapes; lines stay lines."""
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Cs"):
        return character
    return character.encode("unicode_escape").decode()


def progress(sentence: str) -> AbstractContextManager[Any]:
    """For anything that may take longer than two seconds."""
    return progress_console.status(sentence)
