"""The tables of the security page are those of the code."""

import pytest

from cli.markdown import table
from cli.security import BLOCKS, PAGE, filled, names
from cli.security_rules import policies, roles
from commons.domain import admission, rbac


def test_the_published_tables_are_those_of_the_code() -> None:
    text = PAGE.read_text()

    assert filled(text) == text, "docs/security.md is old; run: make security"


def test_the_page_has_every_block_once() -> None:
    assert sorted(names(PAGE.read_text())) == sorted(BLOCKS)


def test_a_block_that_nothing_makes_is_an_error() -> None:
    with pytest.raises(KeyError, match="nobody"):
        filled("<!-- begin nobody -->\n<!-- end nobody -->")


def test_a_cell_cannot_break_its_table() -> None:
    assert table(["a"], [["x | y\nz"]]) == "| a |\n| --- |\n| x \\| y z |\n"


def test_the_table_of_roles_has_a_line_for_each_line_of_the_rules() -> None:
    lines = roles().splitlines()

    assert len(lines) == len(rbac.TABLE) + 2
    assert any("`pods/exec`" in line and "| – | open | open |" in line for line in lines)


def test_the_table_of_policies_has_a_line_for_each_check() -> None:
    lines = policies().splitlines()

    for policy in admission.POLICIES:
        assert any(line.startswith(f"**`{policy.name}`**: ") for line in lines)
        for check in policy.checks:
            assert f"* {check.about}" in lines
