"""SQL over partial sums: those of all batches as one, and the files behind some of them."""
# ruff: noqa: S608 - paths and names of ours

from commons.adapters.cost_expressions import MONEY
from commons.adapters.cost_queries import KEYS
from commons.domain.cost_basis import NET, Basis

# what tells one CostLine from another
LINE_KEYS = ("candidate", "currency", *KEYS)


def merged(source: str) -> str:
    """Partial sums of several batches as one, in a fixed order."""
    texts = {key: f"coalesce({key}, '')" for key in KEYS} | {"day": "day", "split": "split"}
    keys = [f"{text} AS {key}" for key, text in texts.items()]
    return f"""SELECT candidate, currency, {", ".join(keys)},
        {", ".join(f"sum({b})::{MONEY} AS {b}" for b in Basis)},
        coalesce(sum(hours), 0)::{MONEY} AS hours,
        sum(rows)::BIGINT AS rows, min(starts) AS "start", max(ends) AS "end"
        FROM {source} GROUP BY ALL HAVING sum(rows) > 0 ORDER BY ALL"""


def totals(source: str) -> str:
    """Σ over everything that was read, per basis; then how many lines lack each net cost.

    Split rows are a part of what the line of their instance costs.
    """
    costs = [f"coalesce(sum({basis}) FILTER (NOT split), 0)" for basis in Basis]
    lacking = [f"coalesce(sum(lacking_{basis}), 0)::BIGINT" for basis in NET]
    return f"SELECT {', '.join(costs + lacking)} FROM {source}"


def wanted() -> str:
    kinds = {"candidate": "BOOLEAN", "split": "BOOLEAN", "day": "DATE"}
    columns = [f"{key} {kinds.get(key, 'VARCHAR')}" for key in LINE_KEYS]
    return f"CREATE TABLE wanted ({', '.join(columns)})"


def want() -> str:
    return f"INSERT INTO wanted VALUES ({', '.join('?' * len(LINE_KEYS))})"


def rows_by_file(source: str) -> str:
    """Of the lines in the table of wanted ones; the number of a partial is that of its batch."""
    same = [f"p.{key} IS NOT DISTINCT FROM w.{key}" for key in LINE_KEYS]
    return f"""SELECT p.file_index::INTEGER AS batch, p.file::INTEGER AS file,
        sum(p.rows)::BIGINT AS rows
        FROM {source} p SEMI JOIN wanted w ON {" AND ".join(same)}
        WHERE p.candidate GROUP BY ALL ORDER BY ALL"""
