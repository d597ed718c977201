"""EKS: access entries of one cluster."""

from typing import Any

from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of, translated
from commons.domain.access import Entry, EntryChange, permission_set_of
from commons.domain.errors import Blocked, ChangedMeanwhile, StillConverging

_NOT_FOUND = "ResourceNotFoundException"


class AccessEntries:
    """The client must be one of the cluster's Region."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def get(self, cluster: str, principal: str) -> Entry | None:
        with translated(f"reading the access entry of {principal} on {cluster}"):
            try:
                found = self._client.describe_access_entry(
                    clusterName=cluster, principalArn=principal
                )["accessEntry"]
            except ClientError as error:
                if code_of(error) != _NOT_FOUND:
                    raise
                return None
        return Entry(
            arn=found["accessEntryArn"],
            principal=found["principalArn"],
            username=found.get("username", ""),
            type=found.get("type", "STANDARD"),
            created_at=found["createdAt"],
            groups=tuple(found.get("kubernetesGroups") or ()),
            tags=found.get("tags") or {},
        )

    def groups(self, cluster: str, principal: str | None) -> tuple[str, ...]:
        """Groups that a principal's entry brings into the cluster; none without an entry."""
        entry = self.get(cluster, principal) if principal else None
        return entry.groups if entry else ()

    def policies(self, cluster: str, principal: str | None) -> list[str]:
        """Names of the access policies that somebody attached to a principal's entry."""
        if principal is None:
            return []
        with translated(f"reading the access policies of {principal} on {cluster}"):
            pages = self._client.get_paginator("list_associated_access_policies").paginate(
                clusterName=cluster, principalArn=principal
            )
            try:
                found = [each for page in pages for each in page["associatedAccessPolicies"]]
            except ClientError as error:
                if code_of(error) != _NOT_FOUND:
                    raise
                return []
        return sorted(each["policyArn"].rpartition("/")[2] for each in found)

    def principals(self, cluster: str) -> frozenset[str]:
        """ARN of everybody who has an entry."""
        with translated(f"listing the access entries of {cluster}"):
            pages = self._client.get_paginator("list_access_entries").paginate(clusterName=cluster)
            return frozenset(arn for page in pages for arn in page["accessEntries"])

    def of_permission_set(self, cluster: str, name: str) -> list[Entry]:
        """Every entry on a role of the permission set; this reads the names of all entries."""
        with translated(f"listing the access entries of {cluster}"):
            try:
                pages = self._client.get_paginator("list_access_entries").paginate(
                    clusterName=cluster
                )
                principals = [arn for page in pages for arn in page["accessEntries"]]
            except ClientError as error:
                if code_of(error) != _NOT_FOUND:
                    raise
                raise Blocked(
                    f"The EKS cluster {cluster} does not exist; correct eks_cluster in the cluster "
                    "document: commons cluster register FILE"
                ) from error
        found = (self.get(cluster, arn) for arn in principals if permission_set_of(arn) == name)
        return [entry for entry in found if entry]

    def apply(self, cluster: str, change: EntryChange) -> None:
        """Make one change; that an entry is already gone is no error.

        Raises StillConverging while EKS does not know the principal, ChangedMeanwhile if the
        entry came or went since it was read, Blocked if the cluster takes no entries.
        """
        key = {"clusterName": cluster, "principalArn": change.principal}
        doing = f"{change.verb} the access entry of {change.principal} on {cluster}"
        try:
            with translated(doing):
                self._call(change, key)
        except ClientError as error:
            name = code_of(error)
            if change.verb == "delete" and name == _NOT_FOUND:
                return
            meaning = _meaning(name, f"{doing}: {error}")
            if meaning is None:
                raise
            raise meaning from error

    def _call(self, change: EntryChange, key: dict[str, str]) -> None:
        who = {"username": change.username, "kubernetesGroups": list(change.groups)}
        match change.verb:
            case "create":
                tags = dict(change.tags)
                self._client.create_access_entry(**key, **who, type="STANDARD", tags=tags)
            case "update":
                # the list replaces the one that is there: groups of others must be in it
                self._client.update_access_entry(**key, **who)
            case "tag":
                self._client.tag_resource(resourceArn=change.arn, tags=dict(change.tags))
            case "delete":
                self._client.delete_access_entry(**key)


def _meaning(name: str, sentence: str) -> Exception | None:
    if name == "InvalidParameterException":
        return StillConverging(f"{sentence}; a role that was just made is known a little later")
    if name in ("ResourceInUseException", _NOT_FOUND, "NotFoundException"):
        return ChangedMeanwhile(sentence)
    if name in ("InvalidRequestException", "ResourceLimitExceededException"):
        return Blocked(f"{sentence}; see commons doctor")
    return None
