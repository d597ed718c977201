"""`make schemas`: the tables of docs/finance-rules.md, from the one that costs are read by."""

from pathlib import Path

from cli.security import filled
from commons.domain.cost_basis import RULES, Basis, Cost, Rule
from commons.domain.cost_columns import COLUMNS

PAGE = Path(__file__).parents[1] / "docs" / "finance-rules.md"

# what a column has in it, for people who have never seen a cost report
WORDS = {
    "line_item_unblended_cost": "billed",
    "line_item_net_unblended_cost": "billed, net",
    "savings_plan_savings_plan_effective_cost": "plan's price",
    "savings_plan_net_savings_plan_effective_cost": "plan's price, net",
    "savings_plan_total_commitment_to_date": "commitment",
    "savings_plan_used_commitment": "used commitment",
    "reservation_effective_cost": "reservation's price",
    "reservation_net_effective_cost": "reservation's price, net",
    "reservation_unused_amortized_upfront_fee_for_billing_period": "unused upfront fee",
    "reservation_unused_recurring_fee": "unused recurring fee",
    "reservation_net_unused_amortized_upfront_fee_for_billing_period": "unused upfront fee, net",
    "reservation_net_unused_recurring_fee": "unused recurring fee, net",
    "split_line_item_split_cost": "pod's part",
    "split_line_item_unused_cost": "part of what nobody used",
    "split_line_item_net_split_cost": "pod's part, net",
    "split_line_item_net_unused_cost": "part of what nobody used, net",
}


def rules() -> str:
    """Which line costs what, by basis, and why."""
    names = ["line", *(basis.replace("_", " ") for basis in Basis), "why"]
    return _table(names, [_row(rule) for rule in RULES])


def columns() -> str:
    """Which column a word stands for, in either generation of reports."""
    older = {column.name: column.older[0] for column in COLUMNS}
    rows = [[words, f"`{name}`", f"`{older[name]}`"] for name, words in WORDS.items()]
    return _table(["word", "column of CUR 2.0", "in older reports"], rows)


def page(text: str) -> str:
    """The page with its tables made anew."""
    return filled(text, {"rules": rules, "columns": columns})


def _table(names: list[str], rows: list[list[str]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _row(rule: Rule) -> list[str]:
    return [_line(rule), *(_in_words(rule.costs[basis]) for basis in Basis), rule.reason]


def _line(rule: Rule) -> str:
    types = ", ".join(f"`{each}`" for each in rule.line_types)
    words = rule.condition.words if rule.condition else ""
    return " ".join(filter(None, [types, words])) or "every other line"


def _in_words(cost: Cost) -> str:
    plus = " + ".join(WORDS[name] for name in cost.plus)
    minus = "".join(f" − {WORDS[name]}" for name in cost.minus)
    return f"{plus}{minus}" or "0"


def write(path: Path = PAGE) -> None:
    path.write_text(page(path.read_text()))


if __name__ == "__main__":
    write()
