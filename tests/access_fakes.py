"""Identity Center, IAM and EKS access entries in memory, behind the real clients."""

import itertools
from datetime import UTC, datetime
from typing import Any

from tests.aws_fake import FakeAws, Refused, page

INSTANCE = "arn:aws:sso:::instance/ssoins-7907a1b2c3d4e5f6"
BEGIN = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)
_PATH = "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/us-west-2/AWSReservedSSO_"


class IamFake(FakeAws):
    def __init__(self) -> None:
        super().__init__("iam")
        self.roles: dict[str, dict[str, Any]] = {}
        self._ids = itertools.count(1)
        self.answer("ListRoles", self._list)

    def make(self, permission_set: str, suffix: str = "1111", created: datetime = BEGIN) -> str:
        """A role of Identity Center; made again it has another id under the same ARN."""
        arn = f"{_PATH}{permission_set}_{suffix}"
        self.roles[arn] = {
            "Path": "/aws-reserved/sso.amazonaws.com/us-west-2/",
            "RoleName": arn.rpartition("/")[2],
            "RoleId": f"AROA{next(self._ids):016}",
            "Arn": arn,
            "CreateDate": created,
        }
        return arn

    def _list(self, PathPrefix: str, **_: Any) -> dict[str, Any]:
        return {"Roles": [r for r in self.roles.values() if r["Path"].startswith(PathPrefix)]}


class IdentityCenterFake(FakeAws):
    """`refuse`: errors that the next writes are answered with, by operation. `fail`: groups whose
    assignment ends in failure. `polls`: how often a request is still under way when looked at.
    """

    def __init__(self, iam: IamFake) -> None:
        super().__init__("sso-admin")
        self.iam = iam
        self.sets: dict[str, dict[str, Any]] = {}
        self.assigned: list[tuple[str, str, str]] = []
        self.provisioned: dict[tuple[str, str], str] = {}
        self.requests: dict[str, dict[str, Any]] = {}
        self.refuse: dict[str, list[str]] = {}
        self.fail: set[str] = set()
        self.polls = 0
        for name in self.client.meta.service_model.operation_names:
            if hasattr(self, name):
                self.answer(name, getattr(self, name))

    def CreatePermissionSet(self, Name: str, Tags: Any, SessionDuration: str, **_: Any) -> Any:
        if any(each["Name"] == Name for each in self.sets.values()):
            raise Refused("ConflictException")
        arn = f"arn:aws:sso:::permissionSet/ssoins-7907a1b2c3d4e5f6/ps-{len(self.sets):016}"
        self.sets[arn] = {
            "Name": Name,
            "SessionDuration": SessionDuration,
            "Tags": Tags,
            "policy": "",
        }
        return {"PermissionSet": {"PermissionSetArn": arn, "Name": Name}}

    def DescribePermissionSet(self, PermissionSetArn: str, **_: Any) -> Any:
        if PermissionSetArn not in self.sets:
            raise Refused("ResourceNotFoundException")
        known = self.sets[PermissionSetArn]
        shown = {key: known[key] for key in ("Name", "SessionDuration")}
        return {"PermissionSet": {"PermissionSetArn": PermissionSetArn, **shown}}

    def UpdatePermissionSet(self, PermissionSetArn: str, SessionDuration: str, **_: Any) -> Any:
        self.sets[PermissionSetArn]["SessionDuration"] = SessionDuration
        return {}

    def ListPermissionSets(self, NextToken: str | None = None, **_: Any) -> Any:
        chosen, more = page(list(self.sets), NextToken, size=2)
        return {"PermissionSets": chosen, **more}

    def PutInlinePolicyToPermissionSet(
        self, PermissionSetArn: str, InlinePolicy: str, **_: Any
    ) -> Any:
        self.sets[PermissionSetArn]["policy"] = InlinePolicy
        return {}

    def GetInlinePolicyForPermissionSet(self, PermissionSetArn: str, **_: Any) -> Any:
        policy = self.sets[PermissionSetArn]["policy"]
        return {"InlinePolicy": policy} if policy else {}

    def ListTagsForResource(self, ResourceArn: str, **_: Any) -> Any:
        return {"Tags": self.sets[ResourceArn]["Tags"]}

    def ListAccountsForProvisionedPermissionSet(self, PermissionSetArn: str, **_: Any) -> Any:
        latest = self.sets[PermissionSetArn]["policy"]
        known = self.provisioned.items()
        old = [a for (a, arn), policy in known if arn == PermissionSetArn and policy != latest]
        return {"AccountIds": old}

    def ProvisionPermissionSet(self, PermissionSetArn: str, **_: Any) -> Any:
        for key in self.provisioned:
            if key[1] == PermissionSetArn:
                self.provisioned[key] = self.sets[PermissionSetArn]["policy"]
        return {"PermissionSetProvisioningStatus": self._request("p")}

    def DescribePermissionSetProvisioningStatus(
        self, ProvisionPermissionSetRequestId: str, **_: Any
    ) -> Any:
        return {"PermissionSetProvisioningStatus": self._look(ProvisionPermissionSetRequestId)}

    def ListAccountAssignments(self, PermissionSetArn: str, AccountId: str, **more: Any) -> Any:
        found = [
            {
                "AccountId": account,
                "PermissionSetArn": arn,
                "PrincipalType": "GROUP",
                "PrincipalId": group,
            }
            for arn, account, group in self.assigned
            if (arn, account) == (PermissionSetArn, AccountId)
        ]
        chosen, token = page(found, more.get("NextToken"), size=2)
        return {"AccountAssignments": chosen, **token}

    def CreateAccountAssignment(
        self, PermissionSetArn: str, TargetId: str, PrincipalId: str, **_: Any
    ) -> Any:
        self._maybe_refuse("CreateAccountAssignment")
        if PrincipalId not in self.fail:
            if not any(a[:2] == (PermissionSetArn, TargetId) for a in self.assigned):
                self.iam.make(self.sets[PermissionSetArn]["Name"])
            self.assigned.append((PermissionSetArn, TargetId, PrincipalId))
            policy = self.sets[PermissionSetArn]["policy"]
            self.provisioned.setdefault((TargetId, PermissionSetArn), policy)
        return {"AccountAssignmentCreationStatus": self._request(PrincipalId)}

    def DeleteAccountAssignment(
        self, PermissionSetArn: str, TargetId: str, PrincipalId: str, **_: Any
    ) -> Any:
        self.assigned.remove((PermissionSetArn, TargetId, PrincipalId))
        return {"AccountAssignmentDeletionStatus": self._request(PrincipalId)}

    def DescribeAccountAssignmentCreationStatus(
        self, AccountAssignmentCreationRequestId: str, **_: Any
    ) -> Any:
        return {"AccountAssignmentCreationStatus": self._look(AccountAssignmentCreationRequestId)}

    def DescribeAccountAssignmentDeletionStatus(
        self, AccountAssignmentDeletionRequestId: str, **_: Any
    ) -> Any:
        return {"AccountAssignmentDeletionStatus": self._look(AccountAssignmentDeletionRequestId)}

    def _maybe_refuse(self, operation: str) -> None:
        if codes := self.refuse.get(operation):
            raise Refused(codes.pop(0))

    def _request(self, about: str) -> dict[str, Any]:
        identity = f"{len(self.requests):08}-0000-4000-8000-000000000000"
        end = {"Status": "SUCCEEDED"}
        if about in self.fail:
            end = {"Status": "FAILED", "FailureReason": "Principal not found"}
        self.requests[identity] = {"left": self.polls, "end": end}
        return {"RequestId": identity, "Status": "IN_PROGRESS"}

    def _look(self, identity: str) -> dict[str, Any]:
        request = self.requests[identity]
        request["left"] -= 1
        if request["left"] >= 0:
            return {"RequestId": identity, "Status": "IN_PROGRESS"}
        return {"RequestId": identity, **request["end"]}


class EksFake(FakeAws):
    """Access entries of one cluster. `refuse`: codes that the next creations are answered with."""

    def __init__(self) -> None:
        super().__init__("eks")
        self.entries: dict[str, dict[str, Any]] = {}
        self.refuse: list[tuple[str, str]] = []
        self.now = BEGIN
        self.answer("CreateAccessEntry", self._create)
        self.answer("DescribeAccessEntry", lambda **p: {"accessEntry": self._get(p)})
        self.answer("UpdateAccessEntry", self._update)
        self.answer("DeleteAccessEntry", self._delete)
        self.answer("ListAccessEntries", self._list)
        self.answer("TagResource", self._tag)
        self.answer("ListAssociatedAccessPolicies", self._policies)
        self.policies: list[str] = []

    def put(self, principal: str, **fields: Any) -> None:
        """An entry that somebody made."""
        number = len(self.entries)
        known = {
            "principalArn": principal,
            "clusterName": "hp-eks",
            "accessEntryArn": f"arn:aws:eks:us-west-2:111122223333:access-entry/hp-eks/{number}",
            "kubernetesGroups": [],
            "username": "somebody",
            "type": "STANDARD",
            "tags": {},
            "createdAt": self.now,
        }
        self.entries[principal] = {**known, **fields}

    def _policies(self, principalArn: str, **_: Any) -> dict[str, Any]:
        self._get({"principalArn": principalArn})
        arns = [f"arn:aws:eks::aws:cluster-access-policy/{name}" for name in self.policies]
        return {"associatedAccessPolicies": [{"policyArn": arn} for arn in arns]}

    def _get(self, parameters: dict[str, Any]) -> dict[str, Any]:
        if parameters["principalArn"] not in self.entries:
            raise Refused("ResourceNotFoundException")
        return self.entries[parameters["principalArn"]]

    def _create(self, principalArn: str, clusterName: str, **fields: Any) -> Any:
        if self.refuse:
            raise Refused(*self.refuse.pop(0))
        if principalArn in self.entries:
            raise Refused("ResourceInUseException")
        self.put(principalArn, **fields)
        return {"accessEntry": self.entries[principalArn]}

    def _update(self, **parameters: Any) -> Any:
        entry = self._get(parameters)
        for name in ("username", "kubernetesGroups"):
            entry[name] = parameters[name]
        return {"accessEntry": entry}

    def _delete(self, **parameters: Any) -> Any:
        self._get(parameters)
        del self.entries[parameters["principalArn"]]
        return {}

    def _list(self, clusterName: str, nextToken: str | None = None) -> Any:
        first = int(nextToken or 0)
        more = {"nextToken": str(first + 2)} if len(self.entries) > first + 2 else {}
        return {"accessEntries": list(self.entries)[first : first + 2], **more}

    def _tag(self, resourceArn: str, tags: dict[str, str]) -> Any:
        for entry in self.entries.values():
            if entry["accessEntryArn"] == resourceArn:
                entry["tags"] = {**entry["tags"], **tags}
        return {}
