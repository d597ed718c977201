"""The deployed product, quiet: nothing happens in it but what a play does."""

import json
import os
import signal
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import boto3

from local import clients, deploy, settings, supervisor
from local.state import State
from tests.least_privilege.grants import Role
from tests.least_privilege.record import FILE, Record
from tests.stories.company import CLUSTER, join, make_team, register_cluster
from tests.stories.conftest import Cloud

# nobody waits so long: the schedules do not fire while plays run
_NEVER = {f"{name}Schedule": "rate(30 days)" for name in ("Watch", "Total", "Sweep")}
_AGAIN = ("StillConverging", "ChangedMeanwhile", "Runtime.ExitError", "Lambda.TooManyRequests")
_TRIES = 40

TEAM = "probe"
NAMESPACE = f"hyperpod-ns-{TEAM}"
STEP = {
    "team": TEAM,
    "requested": None,
    "cluster": CLUSTER,
    "namespace": NAMESPACE,
    "project": None,
}


class World:
    """What plays need to prepare, and to ask a function for what it does."""

    def __init__(self, home: Path, started: State) -> None:
        stacks = clients.client("cloudformation", started.ports).describe_stacks(
            StackName=settings.STACK
        )["Stacks"]
        outputs = {one["OutputKey"]: one["OutputValue"] for one in stacks[0]["Outputs"]}
        self.cloud = Cloud(home, started, outputs)
        self.record = Record(home / FILE)

    @classmethod
    def start(cls, home: Path) -> "World":
        """Start a local cloud in `home`, deploy to it, and make one team."""
        started = supervisor.up(home)
        assert started is not None, f"a local cloud runs in {home}"
        values = {**deploy.parameters(started), **_NEVER}
        template = settings.CHECKOUT / "template.yaml"
        deploy.deploy_template(started.ports, template, settings.STACK, values, home / "build")
        world = cls(home, started)
        register_cluster(world.cloud)
        make_team(world.cloud, home, TEAM)
        join(world.cloud, f"gpu-{TEAM}", f"ada@{TEAM}.example", f"bob@{TEAM}.example")
        world.cloud.wait(300)
        world.quiet()
        return world

    def quiet(self) -> None:
        """From now on no queue and no rule starts anything."""
        functions = self.client("lambda")
        for each in functions.list_event_source_mappings()["EventSourceMappings"]:
            functions.update_event_source_mapping(UUID=each["UUID"], Enabled=False)
        events = self.client("events")
        for rule in events.list_rules()["Rules"]:
            events.disable_rule(Name=rule["Name"])

    def client(self, service: str) -> Any:
        return self.cloud.client(service)

    def name(self, logical: str) -> str:
        """The name of a resource of the stack."""
        return self._resources[logical]

    def alike(self, name: str) -> str:
        """What the same resource of another stack of this template is called in this one."""
        fixed = name.rpartition("-")[0]
        here = (each for each in self._resources.values() if each.rpartition("-")[0] == fixed)
        return next(here, name)

    def roles(self) -> list[Role]:
        kept = sorted(self._resources.items())
        return [Role(logical, name) for logical, name in kept if logical.endswith("Role")]

    @cached_property
    def _resources(self) -> dict[str, str]:
        pages = self.client("cloudformation").get_paginator("list_stack_resources")
        return {
            one["LogicalResourceId"]: one["PhysicalResourceId"]
            for page in pages.paginate(StackName=settings.STACK)
            for one in page["StackResourceSummaries"]
        }

    def ask(self, function: str, payload: dict[str, Any], again: bool = True) -> Any:
        """What the function answers; raises Failed. Waits for what AWS says it still does."""
        for _ in range(_TRIES if again else 1):
            answer = self.client("lambda").invoke(
                FunctionName=self.name(function), Payload=json.dumps(payload)
            )
            told = json.load(answer["Payload"])
            if not answer.get("FunctionError"):
                break
            if not _passes(told):
                raise Failed(f"{told.get('errorType')}: {told.get('errorMessage')}")
            time.sleep(0.2)
        else:
            raise Failed(f"did not get on: {told}")
        if isinstance(told, dict) and told.get("batchItemFailures"):
            raise Failed("the message comes again")
        return told

    def forget_workers(self, function: str) -> None:
        """The next one signs in to everything anew."""
        for pid in self.cloud.workers(function.removesuffix("Role")):
            os.kill(pid, signal.SIGKILL)

    def log_of(self, function: str) -> Callable[[], list[str]]:
        """Reads the lines that a function has logged until then."""
        file = self.cloud.home / "logs" / "functions" / f"{self.name(function)}.log"
        return lambda: file.read_text().splitlines() if file.exists() else []

    def table(self, output: str = "TeamTable") -> Any:
        session = boto3.Session(settings.ACCOUNT, settings.SECRET, region_name=settings.REGION)
        url = settings.urls(self.cloud.state.ports)["COMMONS_LOCAL_GATEWAY_URL"]
        return session.resource("dynamodb", endpoint_url=url).Table(self.cloud.outputs[output])

    def drop(self, partition: str, prefix: str, output: str = "TeamTable") -> list[dict[str, Any]]:
        """Delete the items of a partition whose sort key begins with `prefix`; what they were."""
        table = self.table(output)
        found = [i for i in self.cloud.items(output, partition) if i["sk"].startswith(prefix)]
        for item in found:
            table.delete_item(Key={"pk": item["pk"], "sk": item["sk"]})
        return found

    def eventually(self, look: Callable[[], Any]) -> Any:
        return self.cloud.eventually(look, 60)


def _passes(told: dict[str, Any]) -> bool:
    """Whether it is worth trying again: AWS is not yet done, or a worker that was ended is."""
    started = not str(told.get("errorMessage", "")).startswith("Failed to extract layer")
    return str(told.get("errorType", "")).startswith(_AGAIN) or not started


class Failed(Exception):
    """A function failed, or said that a message must come again."""
