"""What the documentation says to type can be typed."""

import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
PIPES = {"|", ">", "&&", ";", "#"}


def commands(page: Path) -> list[str]:
    """Every `commons ...` of a page: in its indented or fenced blocks, and in code spans."""
    text = page.read_text()
    lines = re.findall(r"^(?:    |\$ )?(?:\.venv/bin/)?(commons .+)$", text, re.MULTILINE)
    spans = re.findall(r"`(?:\.venv/bin/)?(commons [^`]+)`", text)
    return lines + spans


CASES = [(page, line) for page in PAGES for line in commands(page)]


def test_there_are_commands_in_the_documentation() -> None:
    assert len(CASES) > 10


@pytest.mark.parametrize(("page", "line"), CASES, ids=[f"{p.stem}: {c}" for p, c in CASES])
def test_a_documented_command_exists_with_its_options(page: Path, line: str) -> None:
    words = []
    # [--optional VALUE] is shown as optional, a|b as a choice
    plain = re.sub(r"[\[\]]", "", line)
    plain = re.sub(r"(\w+)(?:\|\w+)+", r"\1", plain)
    for word in shlex.split(plain, comments=True)[1:]:
        if word in PIPES:
            break
        words.append(word)
    command = typer.main.get_command(app)
    context = command.make_context("commons", [], resilient_parsing=True)
    while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        if found is None:
            assert command.invoke_without_command, f"{page.name}: no command {words[0]}"
            break
        command, words = found, words[1:]
    if words in (["…"], ["..."]) or (isinstance(command, TyperGroup) and words == []):
        return
    # parses the options and arguments; a placeholder in capitals stands for a value
    with contextlib.suppress(typer.Exit):  # --help ends there
        command.make_context(command.name, words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_of_the_documentation_leads_to_a_file(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


def leaves(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every command that does something, by the words that call it."""
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            yield from leaves(inner, f"{path} {name}")
        if not command.invoke_without_command:
            return
    yield path, command


def test_every_command_answers_programs_with_json() -> None:
    without = [
        path
        for path, command in leaves(typer.main.get_command(app), "commons")
        if "--json" not in [option for parameter in command.params for option in parameter.opts]
    ]
    # what kubectl and the AWS SDKs ask for is JSON already
    assert without == ["commons local token", "commons local credentials"]
