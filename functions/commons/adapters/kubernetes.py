"""One Kubernetes API: reads, server-side apply and delete of plain objects."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx2
import lightkube
from lightkube.types import PatchType

from commons.adapters.eks_sign_in import FIELD_MANAGER, TOKEN_SECONDS, Connect
from commons.adapters.kubernetes_kinds import KINDS, resource, version_of
from commons.domain.errors import AccessDenied, ChangedMeanwhile, Throttled

Object = dict[str, Any]
_UNAUTHORIZED = 401
_NOT_FOUND = 404
_PAGE = 500


class Kubernetes:
    """`cluster` and `role` are for sentences; the client is opened late and kept 14 minutes."""

    def __init__(
        self,
        connect: Connect,
        cluster: str,
        role: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connect = connect
        self._cluster = cluster
        self._role = role
        self._clock = clock
        self._client: lightkube.Client | None = None
        self._until = 0.0
        self._versions: dict[str, str] = {}

    def get(self, kind: str, name: str, namespace: str | None = None) -> Object | None:
        """None if there is no such object, or the cluster does not serve the kind."""
        where = {"namespace": namespace} if KINDS[kind].namespaced else {}
        found = self._served(kind, lambda client, res: client.get(res, name, **where))
        return dict(found) if found is not None else None

    def list(
        self, kind: str, namespace: str | None = None, labels: Mapping[str, Any] | None = None
    ) -> list[Object]:
        """All of a namespace, or of the cluster; empty if the cluster does not serve the kind."""
        where = {"namespace": namespace or "*"} if KINDS[kind].namespaced else {}
        found = self._served(
            kind,
            lambda client, res: [
                # the items of a list do not say what they are
                {**item, "kind": kind}
                for item in client.list(res, labels=labels, chunk_size=_PAGE, **where)
            ],
        )
        return found or []

    def apply(self, wanted: Object) -> None:
        """Server-side apply; fields that others hold and we want become ours.

        In the version that the cluster serves, whichever `wanted` says.
        """
        name, where = _place(wanted)
        kind = str(wanted["kind"])
        applied = self._served(
            kind,
            lambda client, res: client.patch(
                res,
                name,
                {**wanted, "apiVersion": version_of(res)},
                patch_type=PatchType.APPLY,
                field_manager=FIELD_MANAGER,
                force=True,
                **where,
            ),
        )
        if applied is None:
            gone = "its namespace is gone" if where else "the cluster does not know the kind"
            raise ChangedMeanwhile(f"{kind} {name} on {self._cluster}: {gone}")

    def allows(self, spec: Object) -> bool:
        """What the cluster's authorizer answers to a SubjectAccessReview."""
        answer = self._served(
            "SubjectAccessReview",
            lambda client, res: client.create(res({"metadata": {}, "spec": spec})),
        )
        return bool(answer["status"]["allowed"])

    def delete(self, unwanted: Object) -> None:
        """Delete an object; that it is gone already is no error."""
        name, where = _place(unwanted)
        self._served(str(unwanted["kind"]), lambda client, res: client.delete(res, name, **where))

    def _served(self, kind: str, call: Callable[[Any, Any], Any]) -> Any:
        """Call under the version that the cluster serves; None for 404 under every version."""
        known = self._versions.get(kind)
        for version in [known] if known else KINDS[kind].versions:
            found, answer = self._call(kind, call, resource(kind, version))
            if found:
                self._versions[kind] = version
                return answer if answer is not None else True
        return None

    def _call(self, doing: str, call: Callable[[Any, Any], Any], res: Any) -> tuple[bool, Any]:
        for last in (False, True):
            try:
                return True, call(self._open(renew=last), res)
            except httpx2.HTTPStatusError as error:
                status = error.response.status_code
                if status == _NOT_FOUND:
                    return False, None
                # a token that is too old is answered like one of a stranger: sign in once more
                if status != _UNAUTHORIZED or last:
                    raise self._meaning(status, f"{doing}: {error}") from error
            except httpx2.TransportError as error:
                raise Throttled(f"{self._cluster} does not answer ({doing}): {error}") from error
        raise AssertionError("the second attempt returns or raises")

    def _open(self, renew: bool) -> lightkube.Client:
        if self._client is None or renew or self._clock() >= self._until:
            if self._client is not None:
                self._client.close()
            self._client = self._connect()
            self._until = self._clock() + TOKEN_SECONDS
        return self._client

    def _meaning(self, status: int, sentence: str) -> Exception:
        match status:
            case 401:
                return AccessDenied(
                    f"{self._cluster} does not know {self._role} ({sentence}): it needs an access "
                    "entry, which commons cluster register makes"
                )
            case 403:
                return AccessDenied(
                    f"{self._role} may not do that on {self._cluster} ({sentence}): renew its "
                    "ClusterRole with commons cluster register"
                )
            case 409:
                return ChangedMeanwhile(f"{self._cluster}: {sentence}")
            case 429 | 500 | 502 | 503 | 504:
                return Throttled(f"{self._cluster}: {sentence}")
        return ValueError(f"{self._cluster}: {sentence}")


def _place(obj: Object) -> tuple[str, dict[str, str]]:
    metadata = obj["metadata"]
    where = {"namespace": metadata["namespace"]} if "namespace" in metadata else {}
    return str(metadata["name"]), where
