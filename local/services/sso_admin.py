"""Account assignments and provisioning, with the asynchronous requests that moto lacks."""

from typing import Any

from moto.core.responses import ActionResult

from local.services.assignments import Assignment, Record, assignments
from local.services.errors import Refused
from local.services.paging import page
from local.services.permission_sets import PermissionSetResponse


class AccessResponse(PermissionSetResponse):
    """The operations on permission sets and account assignments of one instance."""

    recorded = frozenset(
        {
            "CreateAccountAssignment",
            "CreatePermissionSet",
            "DeleteAccountAssignment",
            "DeleteInlinePolicyFromPermissionSet",
            "DeletePermissionSet",
            "ProvisionPermissionSet",
            "PutInlinePolicyToPermissionSet",
            "TagResource",
            "UntagResource",
            "UpdatePermissionSet",
        }
    )

    def create_account_assignment(self) -> Any:
        request = assignments.create(self._assignment(), self._permission_set())
        return ActionResult({"AccountAssignmentCreationStatus": request})

    def delete_account_assignment(self) -> Any:
        self._permission_set()
        request = assignments.delete(self._assignment())
        return ActionResult({"AccountAssignmentDeletionStatus": request})

    def describe_account_assignment_creation_status(self) -> Any:
        request = self._request("AccountAssignmentCreationRequestId")
        return ActionResult({"AccountAssignmentCreationStatus": request})

    def describe_account_assignment_deletion_status(self) -> Any:
        request = self._request("AccountAssignmentDeletionRequestId")
        return ActionResult({"AccountAssignmentDeletionStatus": request})

    def list_account_assignments(self) -> Any:
        place = (self.params["AccountId"], self._permission_set().permission_set_arn)
        return self._assignments_page([a for a in assignments.current if a[:2] == place])

    def list_account_assignments_for_principal(self) -> Any:
        self._instance()
        who = (self.params["PrincipalType"], self.params["PrincipalId"])
        account = (self.params.get("Filter") or {}).get("AccountId")
        return self._assignments_page(
            [a for a in assignments.current if a[2:] == who and account in (None, a.account)]
        )

    def provision_permission_set(self) -> Any:
        permission_set = self._permission_set()
        accounts = assignments.accounts_of(permission_set.permission_set_arn)
        if self.params["TargetType"] == "AWS_ACCOUNT":
            accounts = [account for account in accounts if account == self.params.get("TargetId")]
            if not accounts:
                raise Refused("ResourceNotFoundException", "PermissionSet is not provisioned there")
        request = assignments.provision(permission_set, accounts)
        return ActionResult({"PermissionSetProvisioningStatus": request})

    def describe_permission_set_provisioning_status(self) -> Any:
        request = self._request("ProvisionPermissionSetRequestId")
        return ActionResult({"PermissionSetProvisioningStatus": request})

    def list_permission_sets_provisioned_to_account(self) -> Any:
        self._instance()
        account = self.params["AccountId"]
        arns = [arn for (owner, arn) in assignments.provisioned if owner == account]
        wanted = [arn for arn in arns if self._has_status(account, arn)]
        chosen, token = page(wanted, self.params, lambda arn: [arn])
        return ActionResult({"PermissionSets": chosen, "NextToken": token})

    def list_accounts_for_provisioned_permission_set(self) -> Any:
        arn = self._permission_set().permission_set_arn
        wanted = [a for a in assignments.accounts_of(arn) if self._has_status(a, arn)]
        chosen, token = page(wanted, self.params, lambda account: [account])
        return ActionResult({"AccountIds": chosen, "NextToken": token})

    def _assignment(self) -> Assignment:
        return Assignment(
            self.params["TargetId"],
            self.params["PermissionSetArn"],
            self.params["PrincipalType"],
            self.params["PrincipalId"],
        )

    def _request(self, name: str) -> Record:
        self._instance()
        if self.params[name] not in assignments.requests:
            raise Refused("ResourceNotFoundException", f"Request {self.params[name]} not found")
        return assignments.requests[self.params[name]]

    def _has_status(self, account: str, arn: str) -> bool:
        latest = assignments.is_latest(account, self._permission_set(arn))
        wanted = self.params.get("ProvisioningStatus")
        return wanted is None or latest == (wanted == "LATEST_PERMISSION_SET_PROVISIONED")

    def _assignments_page(self, found: list[Assignment]) -> ActionResult:
        chosen, token = page(found, self.params, list)
        described = [assignment.described() for assignment in chosen]
        return ActionResult({"AccountAssignments": described, "NextToken": token})
