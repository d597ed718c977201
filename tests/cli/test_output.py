"""What a name from the directory may do to a terminal: nothing."""

import pytest

from cli import errors, output


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("[bold red]ada[/]", "[bold red]ada[/]"),
        ("\x1b[2J\x1b]0;owned\x07", r"\x1b[2J\x1b]0;owned\x07"),
        ("ada\u202egro.elpmaxe", r"ada\u202egro.elpmaxe"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("two\nlines", "two\nlines"),
        ("Zoë 王", "Zoë 王"),
    ],
)
def test_a_name_is_shown_and_not_obeyed(name: str, shown: str) -> None:
    assert output.visible(name) == shown


def test_tables_and_errors_write_control_characters_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output.print_table("People", ["name"], [["\x1b[31mada"]])
    errors.report(errors.BadInput("no such person: \x1b[31mada"))
    printed = capsys.readouterr()
    assert r"\x1b[31mada" in printed.out
    assert r"\x1b[31mada" in printed.err
    assert "\x1b[31m" not in printed.out + printed.err
