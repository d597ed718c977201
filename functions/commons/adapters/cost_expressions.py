"""SQL expressions over the columns that a set of cost files has.

Column names of a file reach the SQL only quoted; values never do.
"""

from collections.abc import Callable, Mapping

from commons.domain.cost_basis import RULES, Basis, Condition, Cost, Rule
from commons.domain.cost_columns import TAG_MAPS, found, tag_columns, tag_keys

# column name -> DuckDB type, as a file has them
Schema = Mapping[str, str]

# sums are exact in this type, in whatever order threads add: sums of doubles are not
MONEY = "DECIMAL(38,10)"
# every column that is read as an amount
AMOUNTS = sorted(
    {name for rule in RULES for cost in rule.costs.values() for name in (*cost.plus, *cost.minus)}
    | {"line_item_usage_amount"}
)
# the line type of what is neither covered nor adjusted, and has no rule of its own
_USAGE = "Usage"
_NUMBERS = ("INTEGER", "BIGINT", "UINTEGER", "UBIGINT", "HUGEINT", "DOUBLE", "DECIMAL")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def parsed(name: str) -> str:
    """The name beside a column of text of its amounts."""
    return f"amount of {name}"


class Columns:
    """Expressions over the columns that one set of files has, by the names of CUR 2.0."""

    def __init__(self, schema: Schema) -> None:
        self._kinds = {name.lower(): kind for name, kind in schema.items()}
        self._names = {name.lower(): name for name in schema} | found(schema)

    def has(self, name: str) -> bool:
        return name.lower() in self._names

    def text(self, name: str) -> str:
        """Never NULL."""
        return f"coalesce(CAST({self._at(name)} AS VARCHAR), '')" if self.has(name) else "''"

    def account(self, name: str) -> str:
        """Text of twelve digits even where a column of numbers has lost the zeros in front."""
        if not self.has(name) or not self._kind(name).startswith(_NUMBERS):
            return self.text(name)
        return f"coalesce(format('{{:012d}}', TRY_CAST({self._at(name)} AS BIGINT)), '')"

    def money(self, name: str) -> str:
        """NULL for what is no amount: empty, NaN, infinite, or with more than 28 digits."""
        if self.has(parsed(name)):
            return quoted(parsed(name))
        return f"TRY_CAST({self._at(name)} AS {MONEY})" if self.has(name) else f"NULL::{MONEY}"

    def amounts(self) -> list[str]:
        """What `money` gives of every column of amounts, each under the name `parsed` has for it.

        Text is slow to parse, and several costs of a line need the same column.
        """
        return [f"{self.money(n)} AS {quoted(parsed(n))}" for n in AMOUNTS if self.has(n)]

    def moment(self, name: str) -> str:
        """A UTC timestamp, or NULL."""
        return f"TRY_CAST({self._at(name)} AS TIMESTAMP)" if self.has(name) else "NULL::TIMESTAMP"

    def tag(self, *names: str) -> str:
        """Value of a tag aws:eks:<name>, from maps, JSON text or flat columns; '' if none."""
        keys = tag_keys(*names)
        values = [self._in_map(column, keys) for column in TAG_MAPS if self.has(column)]
        flat = [column for column in tag_columns(keys) if self.has(column)]
        values += [f"nullif({self.text(column)}, '')" for column in flat]
        return f"coalesce({', '.join([*values, literal('')])})"

    def _at(self, name: str) -> str:
        return quoted(self._names[name.lower()])

    def _kind(self, name: str) -> str:
        return self._kinds[self._names[name.lower()].lower()]

    def _in_map(self, column: str, names: list[str]) -> str:
        """To ask for a key that is not there costs far less than to look for its value."""
        keys = [prefix + name for prefix in TAG_MAPS[column] for name in names]
        here, kind = self._at(column), self._kind(column)
        if kind.startswith("MAP"):
            found = {f"map_contains({here}, {literal(k)})": f"{here}[{literal(k)}]" for k in keys}
        else:
            # JSON text in CSV; a Parquet struct is turned into it
            text = f"to_json({here})" if kind.startswith("STRUCT") else here
            paths = {key: literal(f'$."{key}"') for key in keys}
            found = {
                f"contains({text}, {literal(key)})": f"TRY(json_extract_string({text}, {path}))"
                for key, path in paths.items()
            }
        parts = [f"CASE WHEN {has} THEN nullif({value}, '') END" for has, value in found.items()]
        return f"coalesce({', '.join(parts)})"

    def has_cost(self, basis: Basis) -> bool:
        """Whether the files have the column that ordinary lines have this cost in."""
        return all(self.has(name) for name in _names(RULES[-1].costs[basis]))

    def cost(self, basis: Basis) -> str:
        """NULL where the line has none: its columns are not there, empty, or no amounts."""
        if not self.has_cost(basis):
            return f"NULL::{MONEY}"
        return self._by_rule(lambda rule: self._amount(rule.costs[basis]))

    def cost_as_written(self, basis: Basis) -> str:
        """The text of the columns that count, for who has to find out why a cost is none."""
        return self._by_rule(lambda rule: self._written(rule.costs[basis]))

    def meets(self, condition: Condition) -> str:
        text = self.text(condition.column)
        return " OR ".join(f"{text} {_like(pattern)}" for pattern in condition.patterns)

    def _by_rule(self, value: Callable[[Rule], str]) -> str:
        """Most lines are usage and no rule of a line type fits them: that is looked for first.

        Comparisons are far cheaper than IN, which DuckDB makes a join of.
        """
        *special, ordinary = RULES
        usage = f"WHEN {self._of_type(_USAGE)} THEN {value(ordinary)}"
        cases = [f"WHEN {self._fits(rule)} THEN {value(rule)}" for rule in special]
        at = sum(not rule.line_types for rule in special)
        return f"CASE {' '.join([*cases[:at], usage, *cases[at:]])} ELSE {value(ordinary)} END"

    def _of_type(self, line_type: str) -> str:
        return f"{self.text('line_item_line_item_type')} = {literal(line_type)}"

    def _fits(self, rule: Rule) -> str:
        parts = [f"({self.meets(rule.condition)})"] if rule.condition else []
        if rule.line_types:
            parts.insert(0, f"({' OR '.join(map(self._of_type, rule.line_types))})")
        return " AND ".join(parts)

    def _amount(self, cost: Cost) -> str:
        names = _names(cost)
        if not names:
            return f"0::{MONEY}"
        terms = [self.money(name) for name in names]
        if cost.filled is not None:
            # nonsense is no empty cell: it leaves the line without a cost
            terms = [
                f"CASE WHEN {self.text(n)} = '' THEN 0 ELSE {self.money(n)} END" for n in names
            ]
        signs = ["+"] * len(cost.plus) + ["-"] * len(cost.minus)
        signed = [f" {sign} {term}" for sign, term in zip(signs, terms, strict=True)]
        amount = f"({''.join(signed)})::{MONEY}"
        if not cost.filled:
            return amount
        filled = " + ".join(f"({self.text(name)} <> '')::INTEGER" for name in names)
        return f"CASE WHEN {filled} >= {cost.filled} THEN {amount} END"

    def _written(self, cost: Cost) -> str:
        texts = [f"nullif({self.text(name)}, '')" for name in _names(cost)]
        return f"concat_ws(', ', {', '.join(texts)})" if texts else literal("")


def _names(cost: Cost) -> tuple[str, ...]:
    return cost.plus + cost.minus


def _like(pattern: str) -> str:
    """A text without a wildcard is compared, which is far cheaper."""
    plain = "%" not in pattern and "_" not in pattern
    return f"= {literal(pattern)}" if plain else f"LIKE {literal(pattern)}"
