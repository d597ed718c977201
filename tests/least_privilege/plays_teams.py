"""Plays of the steps of reconcile_team, and of the sweep."""

import itertools
import uuid
from typing import Any

from tests.least_privilege.play import play
from tests.least_privilege.plays_directory import GHOST, group_id
from tests.least_privilege.world import STEP, TEAM, World
from tests.stories.company import CLUSTER

MEMBERS, OUTCOME = "ReconcileMembersFunction", "RecordOutcomeFunction"
WELL = {"conditions": [{"type": "T", "status": "True", "reason": "UpToDate", "message": "m"}]}
_numbers = itertools.count(1)


def only_team(_: World) -> dict[str, Any]:
    return {"team": TEAM}


def only_step(_: World) -> dict[str, Any]:
    return dict(STEP)


@play("ReadTeamFunction")
def what_a_reconcile_has_to_do(world: World) -> dict[str, Any]:
    return only_team(world)


@play(MEMBERS)
def people_and_groups_that_nobody_has_seen(world: World) -> dict[str, Any]:
    for prefix in ("MEMBER#", "GROUP#"):
        world.drop(f"TEAM#{TEAM}", prefix)
    return only_team(world)


@play(MEMBERS)
def a_group_that_the_document_lists_no_more(world: World) -> dict[str, Any]:
    pin = {"display_name": "gpu-old", "group_id": str(uuid.uuid4()), "role": "member"}
    world.table().put_item(Item={"pk": f"TEAM#{TEAM}", "sk": "GROUP#gpu-old", **pin})
    return only_team(world)


def remember(world: World, count: int) -> None:
    """Members who are in no group, nor in the directory."""
    with world.table().batch_writer() as batch:
        for number in range(count):
            member = {
                "user_id": str(uuid.UUID(int=number + 1)),
                "user_name": f"p{number}",
                "role": "member",
                "state": "active",
                "group_ids": [],
                "memberships": {},
            }
            key = {"pk": f"TEAM#{TEAM}", "sk": f"MEMBER#{member['user_id']}"}
            batch.put_item(Item={**key, **member})


@play(MEMBERS)
def somebody_whom_the_directory_does_not_know(world: World) -> dict[str, Any]:
    remember(world, 1)
    return only_team(world)


@play(MEMBERS)
def more_people_than_single_questions_are_worth(world: World) -> dict[str, Any]:
    remember(world, 101)
    return only_team(world)


@play("ReconcileNamespaceFunction", cold=True)
def a_namespace_as_it_is(world: World) -> dict[str, Any]:
    return only_step(world)


@play("VerifyNamespaceFunction", cold=True)
def a_namespace_that_is_asked_about(world: World) -> dict[str, Any]:
    return only_step(world)


def ended(world: World, requested: int) -> dict[str, Any]:
    """An execution of the ghost that has seen one of so many requests."""
    arn = f"{world.name('ReconcileTeam').replace(':stateMachine:', ':execution:')}:played"
    status = {"pk": f"TEAM#{GHOST}", "sk": "STATUS", "runs": next(_numbers)}
    world.table().put_item(
        Item={**status, "requested": requested, "claimed": 1, "execution_arn": arn}
    )
    namespace = {"cluster": CLUSTER, "namespace": f"hyperpod-ns-{GHOST}", "project": None}
    facets = {"read": {}, "members": WELL, "access": WELL}
    shaped = [{**namespace, "quota": WELL, "shape": WELL, "verify": WELL}]
    return {"team": GHOST, "execution": arn, "requested": 1, **facets, "namespaces": shaped}


@play(OUTCOME)
def an_execution_that_is_the_last(world: World) -> dict[str, Any]:
    return ended(world, 1)


@play(OUTCOME)
def an_execution_after_which_somebody_asked(world: World) -> dict[str, Any]:
    return ended(world, 2)


@play("SweepTeamsFunction", cold=True)
def teams_that_are_as_they_should_be(world: World) -> dict[str, Any]:
    return settled(world, {})


@play("SweepTeamsFunction")
def a_team_that_waits_for_an_execution_that_never_was(world: World) -> dict[str, Any]:
    arn = f"{world.name('ReconcileTeam').replace(':stateMachine:', ':execution:')}:never"
    return settled(world, {"execution_arn": arn})


@play("SweepTeamsFunction")
def a_team_that_has_drifted(world: World) -> dict[str, Any]:
    group_id(world, f"gpu-{TEAM}")
    remember(world, 1)
    return settled(world, {})


def settled(world: World, changes: dict[str, Any]) -> dict[str, Any]:
    """No execution is under way, and none is recorded but what `changes` say."""
    world.eventually(lambda: not running(world))
    for team in (TEAM, *papers(world)):
        former = world.drop(f"TEAM#{team}", "STATUS")
        status = {"pk": f"TEAM#{team}", "sk": "STATUS", "requested": 1, "runs": next(_numbers)}
        kept = {k: v for item in former for k, v in item.items() if k != "execution_arn"}
        more = changes if team == TEAM else {}
        world.table().put_item(Item={**kept, **status, **more})
    return {}


def papers(world: World) -> list[str]:
    """Teams that other plays have made; they go, so that a sweep sees one team."""
    found = world.table().scan(
        FilterExpression="begins_with(pk, :t) AND sk = :d",
        ExpressionAttributeValues={":t": "TEAM#paper", ":d": "DOCUMENT"},
    )["Items"]
    for item in found:
        world.drop(item["pk"], "")
    return []


def running(world: World) -> list[Any]:
    found: list[Any] = world.client("stepfunctions").list_executions(
        stateMachineArn=world.name("ReconcileTeam"), statusFilter="RUNNING"
    )["executions"]
    return found
