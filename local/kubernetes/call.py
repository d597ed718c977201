"""One request that may be answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from local.kubernetes import kueue_versions
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document
from local.kubernetes.rbac import User
from local.kubernetes.requests import Target
from local.kubernetes.store import Store


@dataclass(frozen=True)
class Call:
    """One authorised request."""

    store: Store
    user: User
    target: Target
    query: Mapping[str, str]
    content_type: str
    body: bytes
    agent: str
    at: datetime

    def namespace(self, kind: Kind) -> str:
        """The namespace as the store keys it: none for cluster-scoped kinds."""
        return self.target.namespace if kind.namespaced else ""

    def show(self, kind: Kind, document: Document) -> Document:
        """The document in the version that was asked for."""
        return kueue_versions.shown(kind, self.target.version, document)
