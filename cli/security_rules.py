"""The tables of docs/security.md that say who may do what in a cluster."""

from cli.markdown import code, table
from commons.domain import admission, rbac
from commons.domain.membership import ROLES

_WORDS = {
    rbac.NONE: "–",
    rbac.READ: "read",
    rbac.WRITE: "read, write, delete",
    rbac.RUN: "read, create, delete",
    rbac.CHANGE: "read, change",
    rbac.OPEN: "open",
    rbac.CREATE: "create",
    rbac.DELETE: "delete",
}


def roles() -> str:
    """What each role may do, a line for each line of the table in code."""
    return table(
        ["API group", "kinds", *ROLES, "why"],
        (
            [
                code(line.group) if line.group else "core",
                ", ".join(map(code, line.resources)),
                *(_WORDS[line.verbs(role)] for role in ROLES),
                line.why,
            ]
            for line in rbac.TABLE
        ),
    )


def policies() -> str:
    """What each admission policy demands, a line for each of its checks."""
    return "\n".join(
        f"**{code(policy.name)}**: {policy.whom}\n\n"
        + "".join(f"* {check.about}\n" for check in policy.checks)
        for policy in admission.POLICIES
    )
