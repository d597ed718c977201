"""Team dock and its people, as they sign in at the portal."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from lightkube import Client
from lightkube.resources.core_v1 import Pod

from local import portal
from tests.stories.conftest import Cloud

HERE, THERE = "hyperpod-ns-dock", "hyperpod-ns-berth"
ANN, BEN, EVE = "ann@dock.example", "ben@berth.example", "eve@dock.example"


def listed(client: Client, namespace: str) -> int:
    """HTTP status of listing the pods of a namespace."""
    try:
        list(client.list(Pod, namespace=namespace))
    except httpx2.HTTPStatusError as error:
        return error.response.status_code
    return 200


@dataclass
class Dock:
    """Team dock, and team berth next door; eve is in the directory and in no group."""

    cloud: Cloud
    folder: Path

    def client(self, user: str = ANN, team: str = "dock") -> Client:
        return portal.kubernetes(self.cloud.home, self.cloud.state, user, team)

    def status(self, namespace: str, user: str = ANN, team: str = "dock") -> int:
        """HTTP status of listing pods with a new token; raises NotLetIn."""
        return listed(self.client(user, team), namespace)

    def kubeconfig(self, *options: str) -> Path:
        file = self.folder / "kubeconfig"
        self.cloud.commons("team", "kubeconfig", "dock", "--output", str(file), *options)
        return file

    def keys(self, user: str = ANN) -> dict[str, Any]:
        answer = self.cloud.run(
            "local", "credentials", "--user", user, "--permission-set", "commons-dock"
        )
        assert answer.returncode == 0, answer.stderr
        return dict(json.loads(answer.stdout))

    def links(self, role: str, user: str = ANN, exit_code: int = 0) -> list[dict[str, str]]:
        """What support is told of a session of the role."""
        session = f"arn:aws:sts::111122223333:assumed-role/{role.rpartition('/')[2]}/{user}"
        answer = self.cloud.run("team", "whoami", "--caller", session, "--json")
        assert answer.returncode == exit_code, answer.stderr
        return list(json.loads(answer.stdout))

    def whoami(self, environment: dict[str, str], *options: str) -> list[dict[str, str]]:
        """What a person is told, with what is in their environment."""
        command = [str(Path(sys.executable).with_name("commons")), "team", "whoami", "--json"]
        ended = subprocess.run(
            [*command, *options], env=environment, capture_output=True, text=True, timeout=60
        )
        assert ended.returncode == 0, ended.stderr
        return list(json.loads(ended.stdout))


def make_again(cloud: Cloud, arn: str) -> None:
    """As when Identity Center is set up anew, and the suffix happens to be the same."""
    iam, name = cloud.client("iam"), arn.rpartition("/")[2]
    old = iam.get_role(RoleName=name)["Role"]
    policies = iam.list_role_policies(RoleName=name)["PolicyNames"]
    kept = {
        policy: iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
        for policy in policies
    }
    for policy in policies:
        iam.delete_role_policy(RoleName=name, PolicyName=policy)
    iam.delete_role(RoleName=name)
    iam.create_role(
        RoleName=name,
        Path=old["Path"],
        AssumeRolePolicyDocument=json.dumps(old["AssumeRolePolicyDocument"]),
        MaxSessionDuration=old["MaxSessionDuration"],
    )
    for policy, document in kept.items():
        iam.put_role_policy(RoleName=name, PolicyName=policy, PolicyDocument=json.dumps(document))
    assert iam.get_role(RoleName=name)["Role"]["RoleId"] != old["RoleId"]
