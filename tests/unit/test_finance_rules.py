"""What finance reads about the basis is what the product does."""

from cli.finance_rules import PAGE, WORDS, page
from commons.domain.cost_basis import RULES, Basis
from commons.domain.cost_columns import COLUMNS

NAMES = {
    name
    for rule in RULES
    for cost in rule.costs.values()
    for name in (*cost.plus, *cost.minus)
}  # fmt: skip


def test_the_page_is_that_of_the_table() -> None:
    text = PAGE.read_text()
    assert text == page(text), "docs/finance-rules.md is old; run: make schemas"


def test_every_column_that_counts_has_words_and_is_read_from_either_generation() -> None:
    assert WORDS.keys() == NAMES
    assert len(set(WORDS.values())) == len(WORDS)
    older = {column.name: column.older for column in COLUMNS}
    assert all(older[name] for name in NAMES)


def test_every_rule_says_a_cost_for_every_basis_and_the_last_fits_every_line() -> None:
    assert all(list(rule.costs) == list(Basis) and rule.reason for rule in RULES)
    *special, last = RULES
    assert not last.line_types
    assert not last.condition
    assert all(rule.line_types or rule.condition for rule in special)
