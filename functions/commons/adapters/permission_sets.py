"""IAM Identity Center: permission sets, and the assignment of groups to accounts."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of, translated
from commons.domain.access import TEAM_TAG, PermissionSet
from commons.domain.errors import ProvisioningFailed, StillConverging

_NOT_FOUND = "ResourceNotFoundException"
# requests end within seconds; what takes longer is waited for by the state machine
_LOOKS = 5
_STATUS = {
    "creation": ("AccountAssignmentCreation", "describe_account_assignment_creation_status"),
    "deletion": ("AccountAssignmentDeletion", "describe_account_assignment_deletion_status"),
    "provisioning": ("PermissionSetProvisioning", "describe_permission_set_provisioning_status"),
}
_REQUEST_ID = {
    "creation": "AccountAssignmentCreationRequestId",
    "deletion": "AccountAssignmentDeletionRequestId",
    "provisioning": "ProvisionPermissionSetRequestId",
}


class PermissionSets:
    def __init__(
        self, client: Any, instance_arn: str, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._client = client
        self._instance = {"InstanceArn": instance_arn}
        self._sleep = sleep

    def get(self, arn: str) -> PermissionSet | None:
        """The permission set with its policy and tag; None if it is gone."""
        with translated(f"reading the permission set {arn}"):
            try:
                found = self._client.describe_permission_set(
                    **self._instance, PermissionSetArn=arn
                )["PermissionSet"]
            except ClientError as error:
                if code_of(error) != _NOT_FOUND:
                    raise
                return None
            policy = self._client.get_inline_policy_for_permission_set(
                **self._instance, PermissionSetArn=arn
            )
            pages = self._pages("list_tags_for_resource", "Tags", ResourceArn=arn)
            tags = {tag["Key"]: tag["Value"] for tag in pages}
        return PermissionSet(
            name=found["Name"],
            arn=arn,
            session_duration=found.get("SessionDuration", "PT1H"),
            policy=policy.get("InlinePolicy") or "",
            team=tags.get(TEAM_TAG),
        )

    def find(self, name: str) -> PermissionSet | None:
        """By name, which means reading all of them: only where the name turned out to be taken."""
        with translated(f"looking for the permission set {name}"):
            for arn in self._pages("list_permission_sets", "PermissionSets"):
                described = self._client.describe_permission_set(
                    **self._instance, PermissionSetArn=arn
                )
                if described["PermissionSet"]["Name"] == name:
                    return self.get(arn)
        return None

    def create(self, wanted: PermissionSet) -> str | None:
        """Its ARN, still without the policy; None if the name is taken."""
        with translated(f"creating the permission set {wanted.name}"):
            try:
                answer = self._client.create_permission_set(
                    **self._instance,
                    Name=wanted.name,
                    Description=f"GPU Commons, team {wanted.team}",
                    SessionDuration=wanted.session_duration,
                    Tags=[{"Key": TEAM_TAG, "Value": wanted.team}],
                )
            except ClientError as error:
                if code_of(error) != "ConflictException":
                    raise
                return None
        return str(answer["PermissionSet"]["PermissionSetArn"])

    def write(self, arn: str, wanted: PermissionSet, parts: Iterable[str]) -> None:
        """Bring the named parts to what is wanted; accounts get it only by `provision`."""
        target = {**self._instance, "PermissionSetArn": arn}
        with translated(f"changing the permission set {wanted.name}"):
            if "session duration" in parts:
                self._client.update_permission_set(
                    **target, SessionDuration=wanted.session_duration
                )
            if "policy" in parts:
                self._client.put_inline_policy_to_permission_set(
                    **target, InlinePolicy=wanted.policy
                )

    def outdated(self, arn: str) -> list[str]:
        """Accounts whose role does not yet have the permission set's last version."""
        with translated(f"reading where {arn} is provisioned"):
            return list(
                self._pages(
                    "list_accounts_for_provisioned_permission_set",
                    "AccountIds",
                    PermissionSetArn=arn,
                    ProvisioningStatus="LATEST_PERMISSION_SET_NOT_PROVISIONED",
                )
            )

    def provision(self, arn: str) -> None:
        """Give all accounts its last version. Raises ProvisioningFailed or StillConverging."""
        with translated(f"provisioning {arn}"):
            answer = self._client.provision_permission_set(
                **self._instance, PermissionSetArn=arn, TargetType="ALL_PROVISIONED_ACCOUNTS"
            )
        self._wait("provisioning", answer, f"provisioning {arn}")

    def assigned(self, arn: str, account: str) -> list[str]:
        """Ids of the groups that have it in the account."""
        with translated(f"reading the assignments of {arn} in {account}"):
            return [
                each["PrincipalId"]
                for each in self._pages(
                    "list_account_assignments",
                    "AccountAssignments",
                    PermissionSetArn=arn,
                    AccountId=account,
                )
                if each["PrincipalType"] == "GROUP"
            ]

    def assign(self, arn: str, account: str, groups: Iterable[str]) -> None:
        """Assign groups, all under way at once. Raises ProvisioningFailed or StillConverging."""
        self._settle("creation", self._client.create_account_assignment, arn, account, groups)

    def unassign(self, arn: str, account: str, groups: Iterable[str]) -> None:
        """Take it from groups. Raises ProvisioningFailed or StillConverging."""
        self._settle("deletion", self._client.delete_account_assignment, arn, account, groups)

    def _settle(self, kind: str, call: Any, arn: str, account: str, groups: Iterable[str]) -> None:
        begun = []
        for group in groups:
            doing = f"{kind} of the assignment of group {group} to account {account}"
            with translated(doing):
                answer = call(
                    **self._instance,
                    PermissionSetArn=arn,
                    TargetId=account,
                    TargetType="AWS_ACCOUNT",
                    PrincipalType="GROUP",
                    PrincipalId=group,
                )
            begun.append((answer, doing))
        for answer, doing in begun:
            self._wait(kind, answer, doing)

    def _wait(self, kind: str, answer: dict[str, Any], doing: str) -> None:
        prefix, operation = _STATUS[kind]
        status = answer[f"{prefix}Status"]
        request = {**self._instance, _REQUEST_ID[kind]: status["RequestId"]}
        for look in range(_LOOKS):
            if status["Status"] != "IN_PROGRESS":
                break
            self._sleep(0.2 * 2**look)
            with translated(doing):
                status = getattr(self._client, operation)(**request)[f"{prefix}Status"]
        if status["Status"] == "FAILED":
            raise ProvisioningFailed(f"{doing}: {status.get('FailureReason', 'no reason given')}")
        if status["Status"] != "SUCCEEDED":
            raise StillConverging(f"{doing} is under way")

    def _pages(self, operation: str, key: str, **arguments: Any) -> Iterator[Any]:
        paginator = self._client.get_paginator(operation)
        for page in paginator.paginate(**self._instance, **arguments):
            yield from page[key]
