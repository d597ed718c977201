"""Everybody who makes a call in these tests, signed in, or with what they take for a sign-in."""

import threading
import time
from functools import cached_property

from local import settings
from tests.clouds import Cloud
from tests.cluster.isolation import furniture
from tests.cluster.isolation.bad_tokens import BadTokens
from tests.cluster.isolation.company import AMBER, COAST, PEOPLE
from tests.cluster.isolation.escapes.attempt import at
from tests.cluster.isolation.sign_in import SignIn
from tests.kubernetes_api import Cluster

# a token is good for fifteen minutes
_FRESH_SECONDS = 600
_PODS = {"amber pod": AMBER, "coast pod": COAST}


class Callers:
    """By the names under which the tests speak of them; each signs in when first asked for."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._people, self._bad = SignIn(cloud), BadTokens(cloud, self._reads_pods)
        self._known: dict[str, tuple[float, Cluster]] = {}
        self._lock = threading.Lock()

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
        if name == "administrator":
            return self.administrator
        with self._lock:
            since, caller = self._known.get(name, (0.0, None))
            if caller is None or time.monotonic() - since > _FRESH_SECONDS:
                caller = self.administrator.signed_in(self._token(name))
                self._known[name] = time.monotonic(), caller
            return caller

    def _token(self, name: str) -> str:
        if person := PEOPLE.get(name):
            return self._people.token(self._people.keys(person))
        if namespace := _PODS.get(name):
            return self._pod_token(namespace)
        return self._bad.token(name)

    def _pod_token(self, namespace: str) -> str:
        """What every pod of the namespace has."""
        path = at(namespace, "serviceaccounts", "default/token")
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        return str(self.administrator.create(path, asked)["status"]["token"])

    def _reads_pods(self, token: str) -> bool:
        caller = self.administrator.signed_in(token)
        return caller.call("GET", at(AMBER, "pods"))[0] == 200
