"""Whether the admission policies of a registered cluster are there, and unchanged."""

from typing import Any

from cli import cluster_access
from cli.account_checks import Finding
from commons.domain import admission
from commons.domain.documents import ClusterDocument
from commons.domain.errors import AccessDenied, Blocked, Throttled


def policies(document: ClusterDocument) -> Finding:
    """Read with the caller's own credentials; without the right to, the check is left out."""
    check = f"{document.eks_cluster}: policies"
    try:
        differences = admission.differences(_observed(document))
    except (AccessDenied, Blocked, Throttled) as error:
        return Finding(check, "skipped", str(error))
    if differences:
        todo = "commons cluster register FILE puts them right"
        return Finding(check, "problem", "; ".join(differences), todo)
    return Finding(check, "ok", f"all {len(admission.POLICIES)} are in force, as they should be")


def _observed(document: ClusterDocument) -> list[dict[str, Any]]:
    kubernetes = cluster_access.as_caller(document)
    return [each for kind in admission.KINDS for each in kubernetes.list(kind)]
