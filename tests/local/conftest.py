"""A gateway process, and the smallest template that shows what it must do like AWS."""

import dataclasses
import json
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local import processes, settings
from local.clients import client
from local.deploy import deploy_template
from local.settings import Ports
from local.supervisor import listens

SMOKE = Path(__file__).parent / "smoke"


def eventually(look: Callable[[], Any], seconds: float = 20) -> Any:
    """What `look` finds, as soon as it finds something."""
    until = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < until, "nothing came"
        time.sleep(0.1)
    return found


@pytest.fixture(scope="session")
def gateway_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gateway")


@pytest.fixture(scope="session")
def gateway(gateway_home: Path) -> Iterator[Ports]:
    home = gateway_home
    ports = settings.choose_ports()
    environment = settings.part_environment(ports, home) | settings.gateway_environment(ports)
    home.joinpath("kubernetes").mkdir()
    home.joinpath("kubernetes", "ca.crt").write_text("a certificate")
    command = [sys.executable, "-m", "local.gateway"]
    process = processes.start(command, environment, home / "gateway.log", settings.CHECKOUT)
    try:
        eventually(lambda: _listens(ports))
        yield ports
    finally:
        processes.end([process])
        print(home.joinpath("gateway.log").read_text()[-4000:])  # noqa: T201 - shown on failure


def _listens(ports: Ports) -> bool:
    return listens(ports.gateway) and listens(ports.events)


@dataclasses.dataclass(frozen=True)
class Smoke:
    """The deployed smoke template."""

    ports: Ports
    names: dict[str, str]

    def client(self, service: str) -> Any:
        return client(service, self.ports)

    def invoke(self, name: str, payload: Any, **options: Any) -> dict[str, Any]:
        answer = self.client("lambda").invoke(
            FunctionName=self.names[name], Payload=json.dumps(payload), **options
        )
        return {
            "error": answer.get("FunctionError"),
            **json.loads(answer["Payload"].read() or "{}"),
        }

    def attempts(self, key: str) -> int:
        item = self.client("dynamodb").get_item(
            TableName=self.names["Table"], Key={"pk": {"S": key}}
        )
        return int(item["Item"]["attempts"]["N"]) if "Item" in item else 0

    def run(self, **told: Any) -> dict[str, Any]:
        states = self.client("stepfunctions")
        arn = states.start_execution(
            stateMachineArn=self.names["Machine"], name=uuid.uuid4().hex, input=json.dumps(told)
        )["executionArn"]

        def ended() -> Any:
            execution = states.describe_execution(executionArn=arn)
            return execution["status"] != "RUNNING" and execution

        return eventually(ended, 40)

    def messages(self, queue: str) -> list[dict[str, Any]]:
        answer = self.client("sqs").receive_message(
            QueueUrl=self.names[queue], MaxNumberOfMessages=10
        )
        found = answer.get("Messages", [])
        for message in found:
            self.client("sqs").delete_message(
                QueueUrl=self.names[queue], ReceiptHandle=message["ReceiptHandle"]
            )
        return [json.loads(message["Body"]) for message in found]


@pytest.fixture(scope="session")
def smoke(gateway: Ports, tmp_path_factory: pytest.TempPathFactory) -> Smoke:
    build = tmp_path_factory.mktemp("build")
    deploy_template(gateway, SMOKE / "template.yaml", "smoke", {}, build)
    stack = client("cloudformation", gateway).describe_stacks(StackName="smoke")["Stacks"][0]
    names = {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}
    return Smoke(gateway, names)
