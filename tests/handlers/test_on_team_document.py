"""An uploaded document is accepted or refused as a whole; the last good one stays in force."""

from decimal import Decimal
from typing import Any

import pytest

from teams.on_team_document import handler
from tests.handlers.conftest import BUCKET, Context, Stack
from tests.sample_events import batch, sample

ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
KEY = "documents/teams/vision.yaml"
TEAM = f"""kind: Team
team: vision
title: Computer vision
groups: {{member: [gpu-vision]}}
namespaces:
  - cluster: {ARN}
"""
CLUSTER = f"kind: Cluster\ncluster: {ARN}\nname: research\neks_cluster: hp-eks\n"


def uploaded(stack: Stack, text: str, sequencer: str = "01", key: str = KEY) -> dict[str, Any]:
    """Upload the text and return the event of it."""
    etag = stack.upload(key, text).strip('"')
    event = sample("team_document_uploaded")
    event["detail"]["object"] |= {"key": key, "etag": etag, "sequencer": sequencer}
    return event


def test_a_team_document_is_kept_linked_and_its_team_reconciled(
    stack: Stack, context: Context
) -> None:
    event = uploaded(stack, TEAM)
    assert handler(batch(event), context) == {"batchItemFailures": []}
    assert stack.table.get_team_document("vision").title == "Computer vision"
    assert stack.table.teams_of_cluster(ARN) == ["vision"]
    assert stack.table.teams_of_group_name("gpu-vision") == ["vision"]
    assert stack.states.started == ["vision"]
    kept = stack.s3.get_object(Bucket=BUCKET, Key="accepted/teams/vision.yaml")["Body"].read()
    assert kept == TEAM.encode()
    assert stack.bus.details("TeamDocumentAccepted") == [
        {
            "schemaVersion": "1",
            "kind": "Team",
            "team": "vision",
            "key": KEY,
            "etag": event["detail"]["object"]["etag"],
        }
    ]


def test_a_wrong_document_is_refused_with_every_fault_and_the_last_good_one_stays(
    stack: Stack, context: Context
) -> None:
    handler(batch(uploaded(stack, TEAM)), context)
    wrong = TEAM.replace("Computer vision", "[]").replace("[gpu-vision]", "[admins]")
    assert handler(batch(uploaded(stack, wrong, "02")), context) == {"batchItemFailures": []}
    assert stack.table.get_team_document("vision").title == "Computer vision"
    kept = stack.s3.get_object(Bucket=BUCKET, Key="accepted/teams/vision.yaml")["Body"].read()
    assert kept == TEAM.encode()
    [refused] = stack.refused()
    assert (refused["what"], refused["name"]) == ("document", KEY)
    assert [reason.partition(":")[0] for reason in refused["reasons"]] == [
        "title, line 3",
        "groups.member[0], line 4",
    ]
    [told] = stack.bus.details("TeamDocumentRefused")
    assert (told["kind"], told["team"], told["key"]) == ("Team", "vision", KEY)
    assert told["faults"] == refused["reasons"]
    assert stack.table.status("vision").requested == 1


def test_ac_07_a_reserved_group_refuses_its_document_and_the_others_of_the_batch_go_on(
    stack: Stack, context: Context
) -> None:
    master = TEAM.replace("team: vision", "team: speech").replace("gpu-vision", "'System:Masters'")
    events = [uploaded(stack, master, key="documents/teams/speech.yaml"), uploaded(stack, TEAM)]

    assert handler(batch(*events), context) == {"batchItemFailures": []}

    [refused] = stack.refused()
    assert refused["name"] == "documents/teams/speech.yaml"
    assert "'System:Masters' begins like a group" in refused["reasons"][0]
    assert stack.table.find_team("speech") is None
    assert stack.table.teams_of_group_name("System:Masters") == []
    assert stack.table.get_team_document("vision").title == "Computer vision"
    assert stack.states.started == ["vision"]


def test_a_good_version_ends_the_refusal_of_the_former(stack: Stack, context: Context) -> None:
    handler(batch(uploaded(stack, "kind: Team")), context)
    assert len(stack.refused()) == 1
    handler(batch(uploaded(stack, "kind: Nothing", "02")), context)
    assert len(stack.refused()) == 1
    handler(batch(uploaded(stack, TEAM, "03")), context)
    assert stack.refused() == []


def test_the_same_content_again_is_accepted_and_has_no_further_effect(
    stack: Stack, context: Context
) -> None:
    handler(batch(uploaded(stack, TEAM)), context)
    for sequencer in ("02", "03"):
        handler(batch(uploaded(stack, TEAM, sequencer)), context)
    assert len(stack.bus.details("TeamDocumentAccepted")) == 3
    assert stack.table.status("vision").requested == 1


def test_the_same_content_makes_good_what_a_worker_that_died_left_undone(
    stack: Stack, context: Context
) -> None:
    dead = uploaded(stack, TEAM)
    stack.states.fail_next = 1
    handler(batch(dead), context)
    stack.states.started.clear()
    # somebody applies it once more before the dead worker's message comes again
    handler(batch(uploaded(stack, TEAM, "02")), context)
    assert stack.states.started == ["vision"]


def test_the_same_event_again_makes_good_what_a_dead_worker_left_undone(
    stack: Stack, context: Context
) -> None:
    event = uploaded(stack, TEAM)
    stack.states.fail_next = 1
    assert handler(batch(event), context) == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    assert stack.bus.events == []
    handler(batch(event), context)
    assert stack.states.started == ["vision"]
    assert len(stack.bus.details("TeamDocumentAccepted")) == 1


def test_an_older_upload_never_replaces_a_newer_one(stack: Stack, context: Context) -> None:
    newer = uploaded(stack, TEAM.replace("Computer", "Machine"), "0A10")
    handler(batch(newer), context)
    # sequencers are numbers of differing length
    older = uploaded(stack, TEAM, "FF")
    assert handler(batch(older), context) == {"batchItemFailures": []}
    assert stack.table.get_team_document("vision").title == "Machine vision"
    assert len(stack.bus.details("TeamDocumentAccepted")) == 1


def test_a_cluster_that_is_no_longer_named_is_no_longer_linked(
    stack: Stack, context: Context
) -> None:
    handler(batch(uploaded(stack, TEAM)), context)
    other = ARN.replace("ab12cd34ef56", "zz99zz99zz99")
    text = TEAM.replace(ARN, other).replace("gpu-vision", "gpu-seeing")
    handler(batch(uploaded(stack, text, "02")), context)
    assert stack.table.teams_of_cluster(ARN) == []
    assert stack.table.teams_of_cluster(other) == ["vision"]
    assert stack.table.teams_of_group_name("gpu-vision") == []
    assert stack.table.teams_of_group_name("gpu-seeing") == ["vision"]


def test_a_cluster_document_has_the_teams_on_it_looked_at_again(
    stack: Stack, context: Context
) -> None:
    key = "documents/clusters/ab12cd34ef56.yaml"
    handler(batch(uploaded(stack, TEAM)), context)
    handler(batch(uploaded(stack, CLUSTER, key=key)), context)
    cluster = stack.table.get_cluster_document(ARN)
    assert cluster is not None
    assert cluster.eks_cluster == "hp-eks"
    assert stack.table.status("vision").requested == 2
    told = stack.bus.details("TeamDocumentAccepted")[-1]
    assert (told["kind"], told["cluster"]) == ("Cluster", ARN)
    stack.s3.head_object(Bucket=BUCKET, Key="accepted/clusters/ab12cd34ef56.yaml")


def test_a_priority_that_the_cluster_does_not_have_is_refused_where_it_stands(
    stack: Stack, context: Context
) -> None:
    limits = "    priority_classes: [training, urgent]\n"
    key = "documents/clusters/ab12cd34ef56.yaml"
    handler(batch(uploaded(stack, TEAM + limits)), context)
    assert stack.refused() == []  # nobody knows the cluster yet
    classes = "priority_classes: [{name: training, weight: 1}]\n"
    handler(batch(uploaded(stack, CLUSTER + classes, key=key)), context)
    handler(batch(uploaded(stack, TEAM + limits, "02")), context)
    [refused] = stack.refused()
    assert refused["reasons"] == [
        "namespaces[0].priority_classes[1], line 7: must be one of the cluster's priority classes "
        "(training), and is urgent"
    ]
    handler(batch(uploaded(stack, TEAM + limits.replace(", urgent", ""), "03")), context)
    assert stack.refused() == []


def test_a_slurm_cluster_is_refused_with_the_reason(stack: Stack, context: Context) -> None:
    handler(batch(uploaded(stack, CLUSTER + "orchestrator: slurm\n")), context)
    [refused] = stack.refused()
    assert "orchestrator, line 5: slurm is not supported" in refused["reasons"][0]
    assert stack.table.get_cluster_document(ARN) is None


def test_a_document_that_was_removed_meanwhile_changes_nothing(
    stack: Stack, context: Context
) -> None:
    assert handler(batch(sample("team_document_uploaded")), context) == {"batchItemFailures": []}
    assert stack.bus.events == []


@pytest.mark.parametrize("body", ["{", '{"detail": {"bucket": {"name": "b"}}}'])
def test_a_malformed_event_is_put_aside_and_blocks_nothing(
    stack: Stack, context: Context, body: str
) -> None:
    answer = handler(batch(body, uploaded(stack, TEAM)), context)
    assert answer == {"batchItemFailures": []}
    assert [refused["what"] for refused in stack.refused()] == ["event"]
    assert stack.states.started == ["vision"]


def test_op_02_a_key_with_signs_is_read_as_it_is_written(stack: Stack, context: Context) -> None:
    key = "documents/teams/kind=team/my vision+1%3D.yaml"
    handler(batch(uploaded(stack, TEAM, key=key)), context)
    assert stack.states.started == ["vision"]


def test_the_second_claimant_of_a_namespace_is_refused_where_it_names_it(
    stack: Stack, context: Context
) -> None:
    first = TEAM.replace(f"cluster: {ARN}", f"cluster: {ARN}\n    project: detection")
    handler(batch(uploaded(stack, first)), context)
    second = TEAM.replace("team: vision", "team: vision-detection")
    key = "documents/teams/vision-detection.yaml"
    handler(batch(uploaded(stack, second, key=key)), context)
    assert stack.table.find_team("vision-detection") is None
    [refused] = stack.refused()
    assert refused["reasons"][0].startswith(
        "namespaces[0], line 6: the namespace hyperpod-ns-vision-detection belongs to project "
        "detection of team vision"
    )
    [told] = stack.bus.details("TeamDocumentRefused")
    assert told["team"] == "vision-detection"


RULES_KEY = "documents/rules/2026-11.yaml"
RULES = """kind: ChargebackRules
version: "2026-11"
valid_from: "2026-11"
borrow_price: 0.5
"""


def test_chargeback_rules_are_kept_for_good_by_their_version(
    stack: Stack, context: Context
) -> None:
    for sequencer in ("01", "02"):
        event = uploaded(stack, RULES, sequencer, RULES_KEY)
        assert handler(batch(event), context) == {"batchItemFailures": []}
    (rules,) = stack.table.chargeback_rules()
    assert (rules.version, rules.borrow_price) == ("2026-11", Decimal("0.5"))
    told = stack.bus.details("TeamDocumentAccepted")
    assert [(each["kind"], each["version"]) for each in told] == [
        ("ChargebackRules", "2026-11"),
        ("ChargebackRules", "2026-11"),
    ]
    kept = stack.s3.get_object(Bucket=BUCKET, Key="accepted/rules/2026-11.yaml")["Body"].read()
    assert kept == RULES.encode()


def test_another_content_needs_another_version(stack: Stack, context: Context) -> None:
    handler(batch(uploaded(stack, RULES, "01", RULES_KEY)), context)
    changed = RULES.replace("0.5", "0.75")
    handler(batch(uploaded(stack, changed, "02", RULES_KEY)), context)
    (refused,) = stack.refused()
    assert refused["reasons"] == [
        "version, line 2: 2026-11 was accepted with another content; give it a new version"
    ]
    assert stack.bus.details("TeamDocumentRefused")[0]["version"] == "2026-11"
    handler(batch(uploaded(stack, changed.replace('"2026-11"\nv', '"b"\nv'), "03")), context)
    assert sorted(each.version for each in stack.table.chargeback_rules()) == ["2026-11", "b"]
