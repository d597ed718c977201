"""Account assignments: requests that end after a while, roles that come and go with them."""

import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from local.services import access_roles, clock
from local.services.errors import Refused
from local.services.identity_store import directory
from local.services.later import steps
from local.services.modelled import LOCK

Record = dict[str, Any]
_NO_PRINCIPAL = "Received a 404 status error: Principal not found."


class Assignment(NamedTuple):
    """Who gets which permission set in which account."""

    account: str
    permission_set: str
    principal_type: str
    principal_id: str

    def described(self) -> Record:
        """As the lists of assignments have it."""
        return {
            "AccountId": self.account,
            "PermissionSetArn": self.permission_set,
            "PrincipalType": self.principal_type,
            "PrincipalId": self.principal_id,
        }


class Provisioned(NamedTuple):
    """The role of a permission set in an account, and what it was last given."""

    role: str
    policy: str
    session_duration: str


class Assignments:
    """What is assigned, what is provisioned, and every request by its id."""

    def __init__(self) -> None:
        self.current: list[Assignment] = []
        self.provisioned: dict[tuple[str, str], Provisioned] = {}
        self.requests: dict[str, Record] = {}
        self._busy: set[Assignment] = set()

    def create(self, wanted: Assignment, permission_set: Any) -> Record:
        """Begin to assign; raises Refused (ConflictException) while the same is under way."""
        return self._begin(wanted, lambda: self._assign(wanted, permission_set))

    def delete(self, unwanted: Assignment) -> Record:
        """Begin to remove; raises Refused if there is no such assignment or it is under way."""
        if unwanted not in self.current:
            raise Refused("ResourceNotFoundException", "Account assignment not found")
        return self._begin(unwanted, lambda: self._remove(unwanted))

    def provision(self, permission_set: Any, accounts: list[str]) -> Record:
        """Begin to bring the roles of a permission set up to date."""
        arn = permission_set.permission_set_arn
        request = {"PermissionSetArn": arn}
        if len(accounts) == 1:
            request["AccountId"] = accounts[0]

        def work() -> None:
            for account in accounts:
                latest = _latest(self.provisioned[account, arn].role, permission_set)
                access_roles.provision(*latest)
                self.provisioned[account, arn] = latest

        return self._request(request, work)

    def is_latest(self, account: str, permission_set: Any) -> bool:
        """Whether the role in an account has what the permission set says now."""
        has = self.provisioned[account, permission_set.permission_set_arn]
        return has == _latest(has.role, permission_set)

    def accounts_of(self, permission_set_arn: str) -> list[str]:
        """The accounts in which a permission set has a role."""
        return [account for account, arn in self.provisioned if arn == permission_set_arn]

    def _begin(self, assignment: Assignment, work: Callable[[], None]) -> Record:
        if assignment in self._busy:
            raise Refused(
                "ConflictException", "An operation on this account assignment is in progress"
            )
        self._busy.add(assignment)
        request = {
            "TargetId": assignment.account,
            "TargetType": "AWS_ACCOUNT",
            "PermissionSetArn": assignment.permission_set,
            "PrincipalType": assignment.principal_type,
            "PrincipalId": assignment.principal_id,
        }
        return self._request(request, work, lambda: self._busy.discard(assignment))

    def _request(
        self, content: Record, work: Callable[[], None], end: Callable[[], None] = lambda: None
    ) -> Record:
        identity = str(uuid.uuid4())
        request = {
            **content,
            "RequestId": identity,
            "Status": "IN_PROGRESS",
            "CreatedDate": clock.now(),
        }
        self.requests[identity] = request
        answer = dict(request)
        steps.after(f"sso request {identity}", lambda: _settle(request, work, end))
        return answer

    def _assign(self, wanted: Assignment, permission_set: Any) -> None:
        of_kind = directory.groups if wanted.principal_type == "GROUP" else directory.users
        if wanted.principal_id not in of_kind:
            raise Refused("ResourceNotFoundException", _NO_PRINCIPAL)
        place = (wanted.account, wanted.permission_set)
        if place not in self.provisioned:
            latest = _latest(access_roles.new_name(permission_set.name), permission_set)
            access_roles.create(*latest)
            self.provisioned[place] = latest
        if wanted not in self.current:
            self.current.append(wanted)

    def _remove(self, unwanted: Assignment) -> None:
        place = (unwanted.account, unwanted.permission_set)
        others = [a for a in self.current if a[:2] == place and a != unwanted]
        if not others:
            access_roles.delete(self.provisioned.pop(place).role)
        self.current.remove(unwanted)


def _latest(role: str, permission_set: Any) -> Provisioned:
    return Provisioned(role, permission_set.inline_policy, permission_set.session_duration)


def _settle(request: Record, work: Callable[[], None], end: Callable[[], None]) -> None:
    with LOCK:
        try:
            work()
            request["Status"] = "SUCCEEDED"
        except (Refused, BotoCoreError, ClientError) as error:
            request |= {"Status": "FAILED", "FailureReason": getattr(error, "message", str(error))}
        finally:
            end()


assignments = Assignments()
