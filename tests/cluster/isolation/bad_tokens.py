"""Tokens with which nobody must get in."""

import time
from collections.abc import Callable

from tests.clouds import Cloud
from tests.cluster.isolation.company import PEOPLE
from tests.cluster.isolation.roles_by_hand import HandMade
from tests.cluster.isolation.sign_in import SignIn, altered

# the server believes a sign-in for ten seconds, and who judged it for one
_BELIEVED_SECONDS = 12
_LEAD = PEOPLE["amber lead"]


class BadTokens:
    """Each by what is wrong with it. `reads`: whether somebody with a token is let in."""

    def __init__(self, cloud: Cloud, reads: Callable[[str], bool]) -> None:
        self._people, self._roles, self._reads = SignIn(cloud), HandMade(cloud), reads
        self._gateway = cloud.environment["AWS_ENDPOINT_URL"].removeprefix("http://")

    def token(self, fault: str) -> str:
        """Raises KeyError for a fault that nobody thought of."""
        made: dict[str, Callable[[], str]] = {
            "nobody": str,
            "stranger": lambda: "guess",
            "expired": lambda: self._people.token_of(_LEAD, minutes_ago=16),
            "dated-ahead": lambda: self._people.token_of(_LEAD, minutes_ago=-60),
            "other-cluster": lambda: self._people.token(self._people.keys(_LEAD), "other"),
            "other-server": lambda: self._altered(self._gateway, "127.0.0.1:9"),
            "other-action": lambda: self._altered("GetCallerIdentity", "GetSessionToken"),
            "role-without-entry": lambda: self._session(self._roles.make("role-without-entry")),
            "role-gone": self._role_gone,
            "role-made-again": self._role_made_again,
        }
        return made[fault]()

    def _altered(self, old: str, new: str) -> str:
        return altered(self._people.token(self._people.keys(_LEAD)), old, new)

    def _role_gone(self) -> str:
        """The session of a role that was let in, and was deleted since."""
        session = self._let_in("role-gone")
        self._roles.make("role-gone")
        time.sleep(_BELIEVED_SECONDS)
        return session

    def _role_made_again(self) -> str:
        """A session of the role that has the name of one that was let in."""
        self._let_in("role-made-again")
        return self._session(self._roles.make("role-made-again"))

    def _let_in(self, role: str) -> str:
        arn = self._roles.make(role)
        self._roles.let_in(arn, "commons:amber:{{SessionName}}")
        session = self._session(arn)
        assert self._reads(session)
        return session

    def _session(self, role_arn: str) -> str:
        return self._people.token(self._people.keys_of_role(role_arn, _LEAD.user_name))
