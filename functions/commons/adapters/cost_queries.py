"""SQL over cost files: what a line is, what it costs on each basis, and exact sums of both."""
# ruff: noqa: S608 - a query is built from the columns that a file has, and only here

from commons.adapters.cost_expressions import MONEY, Columns
from commons.adapters.cost_sources import Source
from commons.domain.cost_basis import NET, PODS, TASKS, Basis

_SPLIT_COST = "split_line_item_split_cost"
_TEXTS = {
    "currency": "line_item_currency_code",
    "product": "line_item_product_code",
    "usage_type": "line_item_usage_type",
    "resource": "line_item_resource_id",
    "line_type": "line_item_line_item_type",
}


def lines(source: str, columns: Columns, more: str = "") -> str:
    """One row per report line: keys, a cost per basis, `hours`, whether a cluster can be concerned.

    `more` are further columns of the source to keep. An export without the columns of split costs
    has no use for the rows that they belong to.
    """
    skipped = [TASKS] if columns.has(_SPLIT_COST) else [TASKS, PODS]
    return f"""
    SELECT *, {_CANDIDATE} AS candidate FROM (
        SELECT {_as_they_are(columns)},
            ({columns.meets(PODS)}) AS split,
            {_of_pod(columns.text("product_region_code"), ":", 4)} AS region,
            {_of_pod(columns.tag("namespace"), "/", 3)} AS namespace,
            CASE WHEN namespace <> ''
                THEN {_of_pod(columns.tag("cluster-name", "cluster_name"), "/", 2)}
                ELSE '' END AS eks_cluster,
            {", ".join(f"{columns.cost(basis)} AS {basis}" for basis in Basis)},
            {_unusable(columns)} AS unusable {more}
        FROM {source}
        WHERE NOT ({" OR ".join(columns.meets(each) for each in skipped)}))"""


def _as_they_are(columns: Columns) -> str:
    found = {name: columns.text(column) for name, column in _TEXTS.items()}
    found |= {
        "payer": columns.account("bill_payer_account_id"),
        "account": columns.account("line_item_usage_account_id"),
        "starts": columns.moment("line_item_usage_start_date"),
        "ends": columns.moment("line_item_usage_end_date"),
        "hours": columns.money("line_item_usage_amount"),
    }
    return ", ".join(f"{value} AS {name}" for name, value in found.items())


def _of_pod(text: str, separator: str, part: int) -> str:
    """The text, or else what arn:aws:eks:<region>:<account>:pod/<cluster>/<namespace>/… says.

    Only the rows of pods have such a resource; a tag need not be activated for them.
    """
    named = f"split_part(resource, '{separator}', {part})"
    return f"CASE WHEN split THEN coalesce(nullif({text}, ''), {named}) ELSE {text} END"


def _unusable(columns: Columns) -> str:
    """Net costs may be missing, and then no net basis can be chosen; they may not be nonsense."""
    gross = [f"{basis} IS NULL" for basis in Basis if basis not in NET]
    # CASE looks at the texts of those lines alone that have no net cost; AND would read all
    net = [
        f"CASE WHEN {b} IS NULL THEN {columns.cost_as_written(b)} <> '' ELSE false END"
        for b in NET
        if columns.has_cost(b)
    ]
    return f"({' OR '.join(gross + net)})"


_CANDIDATE = """(product = 'AmazonSageMaker' AND (resource = ''
        OR contains(usage_type, 'Cluster:') OR contains(resource, ':cluster/'))
    OR product = 'AmazonEKS' AND (resource = '' OR contains(usage_type, 'AmazonEKS-Hours'))
    OR product IN ('AmazonFSx', 'MachineLearningSavingsPlans')
    OR contains(product, 'Support') OR namespace <> '')"""

# of these products alone the usage type and resource say which cluster or file system it is;
# of pods there are millions
_NAMED = "product IN ('AmazonSageMaker', 'AmazonEKS', 'AmazonFSx') AND NOT split"
# in the order of domain.cost_lines.CostLine after its first two fields
KEYS = {
    "payer": "payer",
    "account": "account",
    "region": "region",
    "product": "product",
    "usage_type": f"CASE WHEN {_NAMED} THEN usage_type ELSE '' END",
    "resource": f"CASE WHEN {_NAMED} THEN resource ELSE '' END",
    "line_type": "line_type",
    "day": "CAST(starts AS DATE)",
    "namespace": "namespace",
    "eks_cluster": "eks_cluster",
    "split": "split",
}
_COSTS = ", ".join(f"sum({basis}) AS {basis}" for basis in Basis)
TEXTS = tuple(key for key in KEYS if key not in ("day", "split"))
# a node without usable hours
NO_HOURS = "hours IS NULL AND contains(usage_type, 'Cluster:ml.')"


def keyed(every: str) -> str:
    """Lines with the keys that their sums have."""
    keys = [f"{value} AS {key}" for key, value in KEYS.items() if key not in ("day", value)]
    return f"SELECT * REPLACE ({', '.join(keys)}), {KEYS['day']} AS day FROM ({every})"


def sums(source: Source) -> str:
    """Exact sums per key and file. What can concern no cluster is one row per currency, EC2 apart.

    Few lines concern a cluster. Grouping only those, and taking their sum off that of all lines,
    is twice as fast as grouping all of them; with decimals it is as exact.
    """
    every = lines(source.sql, source.columns, ", file_index")
    return f"""WITH everything AS ({_everything(every)}), concerned AS ({_concerned(every)}),
        ours AS (
            SELECT currency, {_EC2} AS ec2, split, {_COSTS}, sum(rows)::BIGINT AS rows
            FROM concerned GROUP BY ALL)
        SELECT true AS candidate, {source.file} AS file, * EXCLUDE (file_index) REPLACE (
            {", ".join(f"{b}::{MONEY} AS {b}" for b in Basis)}, hours::{MONEY} AS hours)
        FROM concerned
        UNION ALL BY NAME {_LEFT}"""


def _everything(every: str) -> str:
    """A cost that is NULL is counted by what is left out of a count, which costs nothing."""
    gross = [f"count(*) - count({b})" for b in Basis if b not in NET]
    lacking = [f"count(*) - count({b}) AS lacking_{b}" for b in NET]
    return f"""SELECT currency, {_EC2} AS ec2, split, {_COSTS}, count(*) AS rows,
            {" + ".join(gross)} AS bad, {", ".join(lacking)}
        FROM ({every}) GROUP BY ALL"""


def _concerned(every: str) -> str:
    keys = ", ".join(f"{value} AS {key}" for key, value in KEYS.items())
    return f"""SELECT currency, file_index, {keys}, {_COSTS}, sum(hours) AS hours,
            count(*) AS rows, min(starts) AS starts, max(ends) AS ends,
            count(*) FILTER ({NO_HOURS}) AS bad
        FROM ({every}) WHERE candidate GROUP BY ALL"""


_EC2 = "product = 'AmazonEC2'"
_NONE = ", ".join(
    f"NULL AS {each}"
    for each in ("file", "starts", "ends", *KEYS)
    if each not in ("product", "split")
)
_LEFT = f"""SELECT false AS candidate, currency, split,
        CASE WHEN ec2 THEN 'AmazonEC2' END AS product, {_NONE},
        {", ".join(f"(e.{b} - coalesce(o.{b}, 0))::{MONEY} AS {b}" for b in Basis)},
        0::{MONEY} AS hours, e.rows - coalesce(o.rows, 0) AS rows,
        e.bad, {", ".join(f"e.lacking_{b}" for b in NET)}
    FROM everything e LEFT JOIN ours o USING (currency, ec2, split)"""


def nonsense(source: Source) -> str:
    """How many lines have something in place of a net cost that is no amount."""
    return f"SELECT count(*) FROM ({lines(source.sql, source.columns)}) WHERE unusable"
