"""Plays of the functions that answer the directory and uploaded documents."""

import itertools
from typing import Any

from tests.least_privilege.play import play
from tests.least_privilege.world import World
from tests.sample_events import batch, nonsense, sample
from tests.stories.company import EXAMPLES, team_document

# a team with no document: whoever reconciles it finds nothing to do
GHOST = "ghost"
ON_CHANGE = "OnDirectoryChangeFunction"
ON_DOCUMENT = "OnTeamDocumentFunction"
_numbers = itertools.count(1)


def changed_group(world: World, group: str) -> dict[str, Any]:
    event = sample("membership_created_by_api")
    request = event["detail"]["requestParameters"]
    request |= {"identityStoreId": world.cloud.outputs["IdentityStoreId"], "groupId": group}
    return batch(event)


def group_id(world: World, name: str) -> str:
    directory, store = world.client("identitystore"), world.cloud.outputs["IdentityStoreId"]
    pages = directory.get_paginator("list_groups").paginate(IdentityStoreId=store)
    for group in (group for page in pages for group in page["Groups"]):
        if group["DisplayName"] == name:
            return str(group["GroupId"])
    return str(directory.create_group(IdentityStoreId=store, DisplayName=name)["GroupId"])


@play(ON_CHANGE)
def a_group_that_is_known_has_a_new_member(world: World) -> dict[str, Any]:
    group = group_id(world, "gpu-ghosts")
    world.drop(f"TEAM#{GHOST}", "STATUS")
    world.table().put_item(Item={"pk": f"GROUP#{group}", "sk": f"TEAM#{GHOST}", "role": "member"})
    return changed_group(world, group)


@play(ON_CHANGE)
def a_group_that_nobody_has_seen_has_a_new_member(world: World) -> dict[str, Any]:
    return changed_group(world, group_id(world, "gpu-strangers"))


@play(ON_CHANGE)
def a_message_that_nobody_understands(_: World) -> dict[str, Any]:
    return nonsense()


@play("OnReconcileEndFunction")
def a_message_about_no_execution(_: World) -> dict[str, Any]:
    return nonsense()


@play("OnReconcileEndFunction")
def an_execution_that_died(world: World) -> dict[str, Any]:
    event = sample("reconcile_failed")
    event["detail"]["input"] = f'{{"team": "{GHOST}"}}'
    status = {"pk": f"TEAM#{GHOST}", "sk": "STATUS", "requested": 1, "runs": next(_numbers)}
    world.table().put_item(Item={**status, "execution_arn": event["detail"]["executionArn"]})
    return batch(event)


def uploaded(world: World, key: str, text: str | None) -> dict[str, Any]:
    """The event of a document; None: it is gone again when the function looks."""
    bucket = world.cloud.outputs["ConfigurationBucket"]
    event = sample("team_document_uploaded")
    found = event["detail"]["object"]
    found |= {"key": key, "sequencer": f"{0xFF0000000000000000 + next(_numbers):X}"}
    if text is None:
        world.client("s3").delete_object(Bucket=bucket, Key=key)
    else:
        put = world.client("s3").put_object(Bucket=bucket, Key=key, Body=text.encode())
        found["etag"] = put["ETag"].strip('"')
    event["detail"]["bucket"]["name"] = bucket
    return batch(event)


@play(ON_DOCUMENT)
def a_new_document_of_a_team(world: World) -> dict[str, Any]:
    team = f"paper{next(_numbers)}"
    return uploaded(world, f"documents/teams/{team}.yaml", team_document(team))


@play(ON_DOCUMENT)
def a_document_of_a_cluster(world: World) -> dict[str, Any]:
    # the same text as before: no team is asked to look at it again
    return uploaded(
        world, "documents/clusters/cluster.yaml", (EXAMPLES / "cluster.yaml").read_text()
    )


@play(ON_DOCUMENT)
def a_document_that_is_wrong(world: World) -> dict[str, Any]:
    return uploaded(world, "documents/teams/wrong.yaml", "kind: Team\nteam: wrong\n")


@play(ON_DOCUMENT)
def a_document_that_is_gone(world: World) -> dict[str, Any]:
    return uploaded(world, "documents/teams/gone.yaml", None)
