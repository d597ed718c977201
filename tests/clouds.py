"""A local cloud on either cluster, and the product deployed to it once with the SAM CLI."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest

from local import clients, deploy, logs, quiescence, settings, supervisor
from local.cluster import Cluster
from local.delivery import Delivered, deliver_file
from local.state import State

_WAIT_SECONDS = 120
_CHOSEN = os.environ.get("COMMONS_TEST_KUBERNETES") or "embedded"


@dataclass(frozen=True)
class Parts:
    """A local cloud without the product."""

    home: Path
    state: State


@dataclass(frozen=True)
class Cloud:
    """The deployed product, as a person with the account's root sees it."""

    home: Path
    state: State
    outputs: dict[str, str]

    @property
    def environment(self) -> dict[str, str]:
        """For commands: what `commons local env` prints, and where this cloud lives."""
        plain = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        client = settings.client_environment(self.state.ports)
        return {**plain, **client, "COMMONS_LOCAL_HOME": str(self.home)}

    def client(self, service: str) -> Any:
        return clients.client(service, self.state.ports)

    def items(self, output: str, partition: str) -> list[dict[str, Any]]:
        """Items of one partition of the table behind an output, in plain values."""
        resource = self._session().resource("dynamodb", endpoint_url=self._gateway())
        answer = resource.Table(self.outputs[output]).query(
            KeyConditionExpression="pk = :pk", ExpressionAttributeValues={":pk": partition}
        )
        return list(answer["Items"])

    def deliver(self, *files: Path) -> list[Delivered]:
        """Put event files on the bus, as `commons local event` does."""
        return [one for path in files for one in deliver_file(path, self.state.ports)]

    def wait(self, timeout: float = _WAIT_SECONDS) -> None:
        """Until nothing is under way, as `commons local wait` does."""
        quiescence.Quiescence(self.state.ports).wait(timeout)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The `commons` command, whatever its exit code."""
        command = [str(Path(sys.executable).with_name("commons")), *arguments]
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False, timeout=300
        )

    def commons(self, *arguments: str) -> Any:
        """What a command that has to succeed answers with --json."""
        ended = self.run(*arguments, "--json")
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    def workers(self, function: str = "") -> list[int]:
        """Process numbers of the functions' workers, of one function by its logical id."""
        shown = subprocess.run(["ps", "-ww", "-eo", "pid=,args="], capture_output=True, text=True)
        mine = str(self.home / "tmp" / f"ministack-lambda-{settings.STACK}-{function}")
        lines = [line.split(None, 1) for line in shown.stdout.splitlines() if mine in line]
        return [int(pid) for pid, _ in lines]

    def eventually(self, look: Callable[[], Any], seconds: float = 30) -> Any:
        """What `look` finds, as soon as it finds something."""
        until = time.monotonic() + seconds
        while not (found := look()):
            assert time.monotonic() < until, "nothing came"
            time.sleep(0.2)
        return found

    def _session(self) -> Any:
        return boto3.Session(settings.ACCOUNT, settings.SECRET, region_name=settings.REGION)

    def _gateway(self) -> str:
        return settings.urls(self.state.ports)["COMMONS_LOCAL_GATEWAY_URL"]


@pytest.fixture(scope="session")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    """One for all tests of a worker, on the cluster that COMMONS_TEST_KUBERNETES names."""
    home = tmp_path_factory.mktemp("local-cloud")
    try:
        chosen = Cluster.model_validate({"kubernetes": _CHOSEN})
        state = supervisor.up(home, cluster=chosen)
        assert state is not None
        yield Parts(home, state)
    finally:
        supervisor.down(home)
        for name, log in logs.known(home).items():  # pytest shows it where a test failed
            print(f"--- {name}\n{logs.tail(log, 40)}")  # noqa: T201


@pytest.fixture(scope="session")
def cloud(parts: Parts) -> Cloud:
    """With the product deployed to it."""
    deploy.deploy(parts.state, parts.home)
    return deployed(parts)


def deployed(parts: Parts) -> Cloud:
    """The cloud of parts to which the product has been deployed."""
    stack = clients.client("cloudformation", parts.state.ports).describe_stacks(
        StackName=settings.STACK
    )["Stacks"][0]
    outputs = {one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}
    return Cloud(parts.home, parts.state, outputs)
