"""SQL over cost files: columns by name, the amortised cost of a line, tags that AWS itself sets.

Column names of a file reach the SQL only quoted; values never do.
"""
# ruff: noqa: S608 - a query is built from the columns that a file has, and only here

from collections.abc import Mapping

# column name in lower case -> DuckDB type, as a file has them
Schema = Mapping[str, str]

# sums are exact in this type, in whatever order threads add: sums of doubles are not
_MONEY = "DECIMAL(38,10)"
# split cost allocation repeats the cost of its parent instance
_SPLIT_OPERATIONS = "('EKSPod-EC2', 'ECSTask-EC2')"
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
        return f"TRY_CAST({quoted(name)} AS {_MONEY})" if self.has(name) else f"NULL::{_MONEY}"

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

    def amortised(self) -> str:
        """Cost on the amortised basis: a plan's or reservation's effective price where it covers.

        What was paid up front is not counted when it is billed but when it is used; a fee counts
        only for the part of the commitment that nothing used.
        """
        return f"""CASE {self.text("line_item_line_item_type")}
            WHEN 'SavingsPlanCoveredUsage'
                THEN {self.money("savings_plan_savings_plan_effective_cost")}
            WHEN 'SavingsPlanRecurringFee' THEN {self._unused_commitment()}
            WHEN 'SavingsPlanNegation' THEN 0
            WHEN 'SavingsPlanUpfrontFee' THEN 0
            WHEN 'DiscountedUsage' THEN {self.money("reservation_effective_cost")}
            WHEN 'RIFee' THEN {self._unused_reservation()}
            WHEN 'Fee' THEN CASE WHEN {self.text("reservation_reservation_a_r_n")} <> ''
                THEN 0 ELSE {self.money("line_item_unblended_cost")} END
            WHEN 'Refund' THEN CASE WHEN {self.text("line_item_product_code")} LIKE '%SavingsPlans'
                THEN 0 ELSE {self.money("line_item_unblended_cost")} END
            ELSE {self.money("line_item_unblended_cost")} END"""

    def _unused_commitment(self) -> str:
        """No amount without both columns, so that the line is refused and not counted as zero."""
        committed = self.money("savings_plan_total_commitment_to_date")
        return f"{committed} - {self.money('savings_plan_used_commitment')}"

    def _unused_reservation(self) -> str:
        upfront = "reservation_unused_amortized_upfront_fee_for_billing_period"
        recurring = "reservation_unused_recurring_fee"
        if not self.has(recurring):
            return self.money("line_item_unblended_cost")
        paid = f"coalesce({self.money(upfront)}, 0)" if self.has(upfront) else "0"
        return f"{paid} + {self.money(recurring)}"


def lines(source: str, columns: Columns, more: str = "") -> str:
    """One row per report line: keys, `amount`, `hours`, and whether a cluster can be concerned.

    `more` are further columns of the source to keep.
    """
    return f"""
    SELECT *, {_CANDIDATE} AS candidate FROM (
        SELECT {columns.text("line_item_currency_code")} AS currency,
            {columns.text("bill_payer_account_id")} AS payer,
            {columns.text("line_item_usage_account_id")} AS account,
            {columns.text("product_region_code")} AS region,
            {columns.text("line_item_product_code")} AS product,
            {columns.text("line_item_usage_type")} AS usage_type,
            {columns.text("line_item_resource_id")} AS resource,
            {columns.text("line_item_line_item_type")} AS line_type,
            {columns.moment("line_item_usage_start_date")} AS starts,
            {columns.moment("line_item_usage_end_date")} AS ends,
            {columns.tag("namespace")} AS namespace,
            CASE WHEN namespace <> '' THEN {columns.tag("cluster-name", "cluster_name")}
                ELSE '' END AS eks_cluster,
            {columns.amortised()} AS amount,
            {columns.money("line_item_usage_amount")} AS hours {more}
        FROM {source}
        WHERE {columns.text("line_item_operation")} NOT IN {_SPLIT_OPERATIONS})"""


_CANDIDATE = """(product = 'AmazonSageMaker' AND (resource = ''
        OR contains(usage_type, 'Cluster:') OR contains(resource, ':cluster/'))
    OR product = 'AmazonEKS' AND (resource = '' OR contains(usage_type, 'AmazonEKS-Hours'))
    OR product IN ('AmazonFSx', 'MachineLearningSavingsPlans')
    OR contains(product, 'Support') OR namespace <> '')"""

# of these products alone the usage type and resource say which cluster or file system it is
_NAMED = "product IN ('AmazonSageMaker', 'AmazonEKS', 'AmazonFSx')"
# in the order of domain.cost_lines.CostLine after its first two fields
_KEYS = {
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
}
# a line without a usable amount, or a node without usable hours
_NO_HOURS = "hours IS NULL AND contains(usage_type, 'Cluster:ml.')"
BAD = f"(amount IS NULL OR candidate AND {_NO_HOURS})"


def sums(source: str, columns: Columns) -> str:
    """Exact sums per key. What can concern no cluster is one row per currency.

    Few lines concern a cluster. Grouping only those, and taking their sum off that of all lines,
    is twice as fast as grouping all of them; with decimals it is as exact.
    """
    every = lines(source, columns)
    none = [f"NULL AS {key}" for key in _KEYS]
    return f"""WITH everything AS (
            SELECT currency, sum(amount) AS amount, count(*) AS rows,
                count(*) FILTER (amount IS NULL) AS bad
            FROM ({every}) GROUP BY currency),
        concerned AS (
            SELECT currency, {", ".join(f"{value} AS {key}" for key, value in _KEYS.items())},
                sum(amount) AS amount, sum(hours) AS hours, count(*) AS rows,
                min(starts) AS starts, max(ends) AS ends, count(*) FILTER ({_NO_HOURS}) AS bad
            FROM ({every}) WHERE candidate GROUP BY ALL),
        ours AS (
            SELECT currency, sum(amount) AS amount, sum(rows) AS rows
            FROM concerned GROUP BY currency)
        SELECT true AS candidate, * REPLACE (
            amount::{_MONEY} AS amount, hours::{_MONEY} AS hours) FROM concerned
        UNION ALL BY NAME
        SELECT false AS candidate, currency, {", ".join(none)},
            (e.amount - coalesce(o.amount, 0))::{_MONEY} AS amount, 0::{_MONEY} AS hours,
            e.rows - coalesce(o.rows, 0) AS rows, NULL AS starts, NULL AS ends, e.bad
        FROM everything e LEFT JOIN ours o USING (currency)
        WHERE e.bad > 0 OR e.rows > coalesce(o.rows, 0)"""


def merged(source: str) -> str:
    """Partial sums of several batches as one, in a fixed order."""
    texts = {key: f"coalesce({key}, '')" for key in _KEYS} | {"day": "day"}
    keys = [f"{text} AS {key}" for key, text in texts.items()]
    return f"""SELECT candidate, currency, {", ".join(keys)},
        sum(amount)::{_MONEY} AS amount, coalesce(sum(hours), 0)::{_MONEY} AS hours,
        sum(rows)::BIGINT AS rows, min(starts) AS "start", max(ends) AS "end"
        FROM {source} GROUP BY ALL ORDER BY ALL"""
