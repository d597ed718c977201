"""Everybody who makes a call in these tests, signed in, or with what they take for a sign-in."""

import time
from collections.abc import Iterator
from functools import cached_property

from local import portal, settings
from local.portal import Keys
from tests.clouds import Cloud
from tests.cluster.isolation import furniture, sign_in
from tests.cluster.isolation.company import AMBER, COAST, PEOPLE
from tests.cluster.isolation.escapes.attempt import at
from tests.cluster.isolation.roles_by_hand import HandMade
from tests.kubernetes_api import Cluster

# a token is good for fifteen minutes
_FRESH_SECONDS = 600
# the server believes a sign-in for ten seconds, and who judged it for one
_BELIEVED_SECONDS = 12


class Callers:
    """By the names under which the tests speak of them."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._known: dict[str, Cluster] = {}
        self._since = 0.0

    @cached_property
    def administrator(self) -> Cluster:
        state, folder = self._cloud.state, self._cloud.home / "kubernetes"
        url = settings.kubernetes_endpoint(state.ports, state.kubernetes, settings.EKS_CLUSTER)
        token = (folder / "admin-token").read_text().strip()
        return Cluster(url, folder / "ca.crt", token)

    @cached_property
    def workload(self) -> str:
        """Name of the Workload of amber's waiting pod."""
        return str(self._cloud.eventually(lambda: furniture.workload(self.administrator)))

    def __getitem__(self, name: str) -> Cluster:
        if time.monotonic() - self._since > _FRESH_SECONDS:
            self._known, self._since = dict(self._sign_in()), time.monotonic()
        return self._known[name]

    def _sign_in(self) -> Iterator[tuple[str, Cluster]]:
        yield "administrator", self.administrator
        for name, person in PEOPLE.items():
            yield name, self._with(self._token(sign_in.keys_of(self._cloud, person)))
        yield "amber pod", self._with(self._pod_token(AMBER))
        yield "coast pod", self._with(self._pod_token(COAST))
        for name, token in self._bad_tokens():
            yield name, self._with(token)

    def _token(self, keys: Keys, eks_cluster: str = settings.EKS_CLUSTER) -> str:
        return portal.token(self._cloud.state.ports, keys, eks_cluster)

    def _with(self, token: str) -> Cluster:
        return self.administrator.signed_in(token)

    def _pod_token(self, namespace: str) -> str:
        """What every pod of the namespace has."""
        path = at(namespace, "serviceaccounts", "default/token")
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        return str(self.administrator.create(path, asked)["status"]["token"])

    def _bad_tokens(self) -> Iterator[tuple[str, str]]:
        cloud = self._cloud
        keys = sign_in.keys_of(cloud, PEOPLE["amber lead"])
        good = self._token(keys)
        gateway = cloud.environment["AWS_ENDPOINT_URL"].removeprefix("http://")
        yield "nobody", ""
        yield "stranger", "guess"
        yield "expired", sign_in.old_token(cloud, keys, minutes=16)
        yield "dated-ahead", sign_in.old_token(cloud, keys, minutes=-60)
        yield "other-cluster", self._token(keys, "other")
        yield "other-server", sign_in.altered(good, gateway, "127.0.0.1:9")
        yield "other-action", sign_in.altered(good, "GetCallerIdentity", "GetSessionToken")
        yield from self._strange_roles()

    def _strange_roles(self) -> Iterator[tuple[str, str]]:
        """Sessions of roles that somebody made: never let in; deleted, and made a second time."""
        roles = HandMade(self._cloud)
        arn = roles.make("role-without-entry")
        yield "role-without-entry", self._session(arn)
        arn = roles.make("role-made-again")
        roles.let_in(arn, "commons:amber:{{SessionName}}")
        first = self._session(arn)
        assert self._with(first).call("GET", at(AMBER, "pods"))[0] == 200
        arn = roles.make("role-made-again")
        time.sleep(_BELIEVED_SECONDS)
        yield "role-gone", first
        yield "role-made-again", self._session(arn)

    def _session(self, role_arn: str) -> str:
        name = PEOPLE["amber lead"].user_name
        return self._token(sign_in.keys_of_role(self._cloud, role_arn, name))
