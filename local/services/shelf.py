"""Resources with versions and asynchronous statuses: compute quotas and cluster policies alike."""

import secrets
import string
from collections.abc import Callable
from typing import Any

from local.services import clock
from local.services.errors import Refused
from local.services.kubernetes_api import Kubernetes, KubernetesUnavailable
from local.services.later import steps
from local.services.modelled import LOCK
from local.services.paging import page
from local.settings import ACCOUNT, REGION

Record = dict[str, Any]
Work = Callable[[Kubernetes], bool]
"""Does its part at once and returns whether it is done, or is to be called again."""

_ALPHABET = string.ascii_lowercase + string.digits
_DOING = {"Create": "Creating", "Update": "Updating", "Delete": "Deleting"}
_DONE = {"Create": "Created", "Update": "Updated", "Delete": "Deleted"}
_UPDATABLE = {"Created", "Updated", "UpdateFailed"}


class Shelf:
    """All resources of one kind; `prefix` is how the API names their members, `arn` their ARNs."""

    def __init__(self, prefix: str, arn: str) -> None:
        self.prefix = prefix
        self._arn = arn
        self._versions: dict[str, list[Record]] = {}

    def current(self, cluster_arn: str) -> list[Record]:
        """What a cluster has and is not deleted."""
        latest = (versions[-1] for versions in self._versions.values())
        return [r for r in latest if r["ClusterArn"] == cluster_arn and r["Status"] != "Deleted"]

    def create(self, content: Record, who: Record) -> Record:
        """Put a new resource on the shelf; raises Refused (ConflictException) for a name in use."""
        if any(r["Name"] == content["Name"] for r in self.current(content["ClusterArn"])):
            raise Refused("ConflictException", f"the name {content['Name']} is in use")
        identity = "".join(secrets.choice(_ALPHABET) for _ in range(12))
        now = clock.now()
        record = {
            **content,
            f"{self.prefix}Id": identity,
            f"{self.prefix}Arn": f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:{self._arn}/{identity}",
            f"{self.prefix}Version": 1,
            "Status": _DOING["Create"],
            "CreationTime": now,
            "CreatedBy": {"IamIdentity": who},
            "LastModifiedTime": now,
            "LastModifiedBy": {"IamIdentity": who},
        }
        self._versions[identity] = [record]
        return record

    def update(self, identity: str, target: int, content: Record, who: Record) -> Record:
        """Add a version; raises Refused (ConflictException) unless `target` is the current one."""
        before = self.get(identity)
        if before["Status"] not in _UPDATABLE:
            raise Refused("ConflictException", f"an update is not possible in {before['Status']}")
        version = before[f"{self.prefix}Version"]
        if target != version:
            raise Refused(
                "ConflictException", f"TargetVersion {target} is not the current one, {version}"
            )
        record = {
            **{name: value for name, value in before.items() if name != "FailureReason"},
            **content,
            f"{self.prefix}Version": version + 1,
            "Status": _DOING["Update"],
            "LastModifiedTime": clock.now(),
            "LastModifiedBy": {"IamIdentity": who},
        }
        self._versions[identity].append(record)
        return record

    def get(self, identity: str, version: int | None = None) -> Record:
        """A resource, or a version of it; raises Refused (ResourceNotFound)."""
        for record in reversed(self._versions.get(identity, [])):
            if version in (None, record[f"{self.prefix}Version"]):
                return record
        raise Refused("ResourceNotFound", f"{self.prefix} {identity} does not exist")

    def by_arn(self, arn: str) -> Record | None:
        """A resource by its ARN."""
        latest = (versions[-1] for versions in self._versions.values())
        return next((r for r in latest if r[f"{self.prefix}Arn"] == arn), None)

    def list(self, params: Record) -> tuple[list[Record], str | None]:
        """A page of the resources that the filters leave, in the order asked for."""
        chosen = [v[-1] for v in self._versions.values() if _passes(v[-1], params)]
        order = params.get("SortBy", "CreationTime")
        descending = params.get("SortOrder", "Ascending") == "Descending"
        return page(
            chosen, params, lambda r: [str(r[order]), r[f"{self.prefix}Id"]], descending=descending
        )

    def begin(self, verb: str, record: Record, kubernetes: Kubernetes, work: Work) -> None:
        """Let an asynchronous status end, then have `work` done until it says it is done.

        A deletion ends only when its work is done; what is created or updated is so a moment
        before Kubernetes has it, as in AWS.
        """
        record["Status"] = _DOING[verb]
        name = f"{verb.lower()} {record['Name']}"

        def settle(ends_first: bool) -> None:
            if not _under_way(verb, record):
                return  # overtaken: it is being deleted
            try:
                done = _reached(kubernetes) if ends_first else work(kubernetes)
            except KubernetesUnavailable as error:
                _move(verb, record, f"{verb}Failed", str(error)[:1024])
                return
            if done:
                _move(verb, record, _DONE[verb])
            if ends_first or not done:
                steps.after(name, lambda: settle(False))

        steps.after(name, lambda: settle(verb != "Delete"))


def _reached(kubernetes: Kubernetes) -> bool:
    kubernetes.reach()
    return True


def _under_way(verb: str, record: Record) -> bool:
    return record["Status"] in (_DOING[verb], _DONE[verb])


def _move(verb: str, record: Record, status: str, reason: str | None = None) -> None:
    """Set a status, unless something else has been begun meanwhile."""
    with LOCK:
        if _under_way(verb, record):
            record["Status"] = status
            if reason:
                record["FailureReason"] = reason


def _passes(record: Record, params: Record) -> bool:
    return (
        params.get("NameContains", "") in record["Name"]
        and params.get("ClusterArn") in (None, record["ClusterArn"])
        and params.get("Status") in (None, record["Status"])
        and clock.between(
            record["CreationTime"], params.get("CreatedAfter"), params.get("CreatedBefore")
        )
    )
