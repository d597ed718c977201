"""How the demo speaks: chapters, and commands that are shown as a user would type them."""

import contextlib
import io

import typer

from cli import main, output
from local import quiescence, state

_SECONDS = 300


def settle() -> None:
    commons("local", "wait", "--timeout", str(_SECONDS))


def watched() -> None:
    """As `settle`, without a word."""
    quiescence.Quiescence(state.running().ports).wait(_SECONDS)


def chapter(title: str) -> None:
    output.console.print()
    output.console.rule(f"[bold]{title}", align="left")


def commons(*words: str) -> None:
    """Run a command as a user would, and show that it was run."""
    output.console.print(f"[bold]$ commons {' '.join(words)}[/]", highlight=False)
    typer.main.get_command(main.app)(args=list(words), standalone_mode=False)


def quietly(*words: str) -> str:
    """Run a command, show only its line, and return what it printed."""
    output.console.print(f"[dim]$ commons {' '.join(words)}[/]", highlight=False)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        typer.main.get_command(main.app)(args=list(words), standalone_mode=False)
    return printed.getvalue()
