"""SQL expressions over the columns that a set of cost files has.

Column names of a file reach the SQL only quoted; values never do.
"""

from collections.abc import Callable, Mapping

from commons.domain.cost_basis import RULES, Basis, Condition, Cost, Rule

# column name in lower case -> DuckDB type, as a file has them
Schema = Mapping[str, str]

# sums are exact in this type, in whatever order threads add: sums of doubles are not
MONEY = "DECIMAL(38,10)"
# a tag that a user sets is prefixed with user_ or user: and never has one of these names
# column -> what its keys may begin with; each further lookup costs every line of the report
_TAG_COLUMNS = {"resource_tags": ("",), "tags": ("", "resourceTags/")}
_TAG_FLAT = ("resource_tags_", "resourcetags/")
_TAG_FORMS = ("aws_eks_{}", "aws:eks:{}")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class Columns:
    """Expressions over the columns that one set of files has."""

    def __init__(self, schema: Schema) -> None:
        self._schema = {name.lower(): kind for name, kind in schema.items()}

    def has(self, name: str) -> bool:
        return name in self._schema

    def text(self, name: str) -> str:
        """Never NULL. Account ids stay text, with their zeros, whatever a column's type."""
        return f"coalesce(CAST({quoted(name)} AS VARCHAR), '')" if self.has(name) else "''"

    def money(self, name: str) -> str:
        """NULL for what is no amount: empty, NaN, infinite, or with more than 28 digits."""
        return f"TRY_CAST({quoted(name)} AS {MONEY})" if self.has(name) else f"NULL::{MONEY}"

    def moment(self, name: str) -> str:
        """A UTC timestamp, or NULL."""
        return f"TRY_CAST({quoted(name)} AS TIMESTAMP)" if self.has(name) else "NULL::TIMESTAMP"

    def tag(self, *names: str) -> str:
        """Value of a tag aws:eks:<name>, from maps, JSON text or flat columns; '' if none."""
        forms = [form.format(name) for name in names for form in _TAG_FORMS]
        found = [self._in_column(column, forms) for column in _TAG_COLUMNS if self.has(column)]
        flat = [f"{prefix}{form}" for prefix in _TAG_FLAT for form in forms]
        found += [f"nullif({self.text(column)}, '')" for column in flat if self.has(column)]
        return f"coalesce({', '.join([*found, literal('')])})"

    def _in_column(self, column: str, forms: list[str]) -> str:
        keys = [prefix + form for prefix in _TAG_COLUMNS[column] for form in forms]
        if self._schema[column].startswith("MAP"):
            parts = [f"nullif({quoted(column)}[{literal(key)}], '')" for key in keys]
        else:
            # JSON text in CSV; a Parquet struct is turned into it
            struct = self._schema[column].startswith("STRUCT")
            text = f"to_json({quoted(column)})" if struct else quoted(column)
            paths = [literal(f'$."{key}"') for key in keys]
            parts = [f"nullif(TRY(json_extract_string({text}, {path})), '')" for path in paths]
        return f"coalesce({', '.join(parts)})"

    def cost(self, basis: Basis) -> str:
        """NULL where the line has none: its columns are not there, empty, or no amounts."""
        return self._by_rule(lambda rule: self._amount(rule.costs[basis]))

    def cost_as_written(self, basis: Basis) -> str:
        """The text of the columns that count, for who has to find out why a cost is none."""
        return self._by_rule(lambda rule: self._written(rule.costs[basis]))

    def meets(self, condition: Condition) -> str:
        text = self.text(condition.column)
        return " OR ".join(f"{text} {_like(pattern)}" for pattern in condition.patterns)

    def _by_rule(self, value: Callable[[Rule], str]) -> str:
        *special, ordinary = RULES
        cases = [f"WHEN {self._fits(rule)} THEN {value(rule)}" for rule in special]
        return f"CASE {' '.join(cases)} ELSE {value(ordinary)} END"

    def _fits(self, rule: Rule) -> str:
        parts = [f"({self.meets(rule.condition)})"] if rule.condition else []
        if rule.line_types:
            types = ", ".join(map(literal, rule.line_types))
            parts.insert(0, f"{self.text('line_item_line_item_type')} IN ({types})")
        return " AND ".join(parts)

    def _amount(self, cost: Cost) -> str:
        names = _names(cost)
        if not names:
            return f"0::{MONEY}"
        terms = [self.money(name) for name in names]
        if cost.one_may_be_empty:
            none = " AND ".join(f"{term} IS NULL" for term in terms)
            terms = [f"coalesce({term}, 0)" for term in terms]
            return f"CASE WHEN {none} THEN NULL ELSE {' + '.join(terms)} END::{MONEY}"
        signs = ["+"] * len(cost.plus) + ["-"] * len(cost.minus)
        signed = [f" {sign} {term}" for sign, term in zip(signs, terms, strict=True)]
        return f"({''.join(signed)})::{MONEY}"

    def _written(self, cost: Cost) -> str:
        texts = [f"nullif({self.text(name)}, '')" for name in _names(cost)]
        return f"concat_ws(', ', {', '.join(texts)})" if texts else literal("")


def _names(cost: Cost) -> tuple[str, ...]:
    return cost.plus + cost.minus


def _like(pattern: str) -> str:
    """A text without a wildcard is compared, which is far cheaper."""
    plain = "%" not in pattern and "_" not in pattern
    return f"= {literal(pattern)}" if plain else f"LIKE {literal(pattern)}"
