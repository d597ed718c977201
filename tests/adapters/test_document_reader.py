"""A document is read whole or refused with every fault, each by path and line."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.adapters.document_reader import RefusedDocument, read_document
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import RefusedInput

ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
TEAM: dict[str, Any] = {"kind": "Team", "team": "vision", "title": "Computer vision"}
CLUSTER: dict[str, Any] = {
    "kind": "Cluster",
    "cluster": ARN,
    "name": "research",
    "eks_cluster": "hp-eks",
}


def read(text: str | bytes) -> Any:
    return read_document("x.yaml", text.encode() if isinstance(text, str) else text, "gpu-")


def faults(text: str | bytes) -> list[str]:
    with pytest.raises(RefusedDocument) as refused:
        read(text)
    return refused.value.reasons


def team_faults(**fields: Any) -> list[str]:
    """Faults of a team document in JSON on one line, without the line."""
    return [reason.replace(", line 1:", ":") for reason in faults(json.dumps(TEAM | fields))]


def cluster_faults(**fields: Any) -> list[str]:
    return [reason.replace(", line 1:", ":") for reason in faults(json.dumps(CLUSTER | fields))]


def quota_faults(**quota: Any) -> list[str]:
    return [
        reason.removeprefix("namespaces[0].quota")
        for reason in team_faults(namespaces=[{"cluster": ARN, "quota": quota}])
    ]


def test_yaml_and_json_mean_the_same() -> None:
    yaml = """
kind: Team
team: vision
title: Computer vision
groups: {member: [gpu-vision]}
cost_centers:
  - {code: "0123", valid_from: 2026-01-01}
namespaces:
  - cluster: arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56
    project: detection
    quota:
      resources:
        - {instance_type: ml.p5.48xlarge, accelerators: 8}
        - {instance_type: ml.c5.4xlarge, vcpu: 1.5}
"""
    document = read(yaml)
    assert isinstance(document, TeamDocument)
    assert document.cost_centers[0].code == "0123"
    assert document.namespaces[0].quota.resources[1].vcpu == 1.5
    for indent in (None, 2, "\t"):
        again = json.dumps(document.model_dump(mode="json"), indent=indent)
        assert read(again) == document


def test_what_is_left_out_has_its_default() -> None:
    document = read(json.dumps(CLUSTER))
    assert isinstance(document, ClusterDocument)
    assert document.mode == "enforce"
    assert document.overcommit == "refuse"
    assert document.membership_guard.max_remove_percent == 30
    assert document.membership_guard.max_remove_count == 20
    team = read(json.dumps(TEAM | {"namespaces": [{"cluster": ARN}]}))
    assert team.state == "active"
    assert team.namespaces[0].quota.sharing.strategy == "LendAndBorrow"
    assert team.namespaces[0].quota.preempt_team_tasks == "LowerPriority"


def test_every_fault_is_named_by_path_and_line_in_the_order_of_lines() -> None:
    text = f"""kind: Team
team: vision
groups: {{member: [gpu-vision, others]}}
colour: blue
namespaces:
  - cluster: {ARN}
    quota:
      resources:
        - instance_type: ml.p5.48xlarge
          accelerators: four
      sharing:
        strategy: DontLend
        borrow_limit: 50
  - cluster: {ARN}
"""
    assert faults(text) == [
        "title, line 1: is missing",
        "groups.member[1], line 3: 'others' does not start with 'gpu-': groups outside that prefix "
        "do not exist for this stack (parameter GroupPrefix)",
        "colour, line 4: is not a field here; check its spelling and its indentation",
        "namespaces[0].quota.resources[0].accelerators, line 10: must be a valid integer, "
        "and is 'four'",
        "namespaces[0].quota.sharing, line 11: must have no borrow_limit: who does not lend cannot "
        "borrow either",
        "namespaces[1], line 14: is hyperpod-ns-vision on the same cluster as namespaces[0]",
    ]


def test_ac_07_a_group_that_kubernetes_or_aws_keeps_is_refused_by_name_whatever_the_prefix() -> (
    None
):
    text = """kind: Team
team: vision
title: Vision
groups: {member: [gpu-vision, 'system:masters', 'AWS:ops'], lead: ['eks:admins']}
"""
    for prefix in ("gpu-", "", "system:"):
        with pytest.raises(RefusedInput) as refusal:
            read_document("documents/t.yaml", text.encode(), prefix)
        told = "\n".join(refusal.value.reasons)
        for name in ("system:masters", "AWS:ops", "eks:admins"):
            assert f"{name!r} begins like a group that Kubernetes or AWS keeps for itself" in told
        assert "'gpu-vision' begins" not in told


@pytest.mark.parametrize(
    ("row", "good"),
    [
        ({"count": 1}, True),
        ({"accelerators": 0}, True),
        ({"vcpu": 0.5}, True),
        ({"memory_gib": 16}, True),
        ({}, False),
        ({"count": 1, "vcpu": 2}, False),
        ({"count": 1, "accelerators": 8}, False),
    ],
)
def test_a_row_of_a_quota_has_exactly_one_unit(row: dict[str, Any], good: bool) -> None:
    quota = {"resources": [{"instance_type": "ml.p5.48xlarge", **row}]}
    if good:
        read(json.dumps(TEAM | {"namespaces": [{"cluster": ARN, "quota": quota}]}))
    else:
        assert quota_faults(**quota) == [
            ".resources[0]: must have exactly one of count, accelerators, vcpu and memory_gib"
        ]


@pytest.mark.parametrize("value", [-1, 1.5, True, "8", 10_000_001])
def test_devices_are_counted_in_whole_numbers(value: Any) -> None:
    [fault] = quota_faults(resources=[{"instance_type": "ml.p5.48xlarge", "accelerators": value}])
    assert fault.startswith(".resources[0].accelerators: must be ")


def test_an_instance_type_that_nobody_knows_yet_is_no_fault() -> None:
    quota = {"resources": [{"instance_type": "ml.p9x-gb900.96xlarge", "count": 1}]}
    read(json.dumps(TEAM | {"namespaces": [{"cluster": ARN, "quota": quota}]}))
    [fault] = quota_faults(resources=[{"instance_type": "p5.48xlarge", "count": 1}])
    assert "as SageMaker writes it" in fault


def test_at_most_fifteen_rows_and_an_instance_type_once() -> None:
    rows = [{"instance_type": f"ml.t{n}.large", "count": 1} for n in range(16)]
    [fault] = quota_faults(resources=rows)
    assert fault.startswith(".resources: must have at most 15 items")
    assert quota_faults(resources=[rows[0], rows[0]]) == [
        ".resources[1].instance_type: ml.t0.large stands here a second time"
    ]


def test_who_borrows_may_have_a_limit_and_who_does_not_lend_may_not() -> None:
    for sharing in ({"strategy": "LendAndBorrow", "borrow_limit": 10_000}, {"borrow_limit": 0}):
        quota = {"sharing": sharing}
        read(json.dumps(TEAM | {"namespaces": [{"cluster": ARN, "quota": quota}]}))
    assert quota_faults(sharing={"borrow_limit": 10_001}) != []
    assert quota_faults(sharing={"strategy": "DontLend", "borrow_limit": 0}) != []


@pytest.mark.parametrize(
    "team", ["Vision", "-vision", "vision-", "", "a" * 41, "a b", "équipe", "研究", "a.b", 7]
)
def test_a_team_is_named_by_lower_case_letters_digits_and_hyphens(team: Any) -> None:
    [fault] = team_faults(team=team)
    assert fault.startswith("team: must be ")


@pytest.mark.parametrize(
    "team",
    [
        "kube-system",
        "default",
        "system",
        "reader",
        "writer",
        "idle-resource-sharing",
        "idle-resource-sharing-9",
    ],
)
def test_names_that_the_cluster_keeps_for_itself_are_refused(team: str) -> None:
    [fault] = team_faults(team=team)
    assert "keeps for itself" in fault


def test_a_team_with_its_project_has_at_most_forty_characters() -> None:
    spec = {"cluster": ARN, "project": "p" * 20}
    read(json.dumps(TEAM | {"team": "t" * 19, "namespaces": [spec]}))
    [fault] = team_faults(team="t" * 20, namespaces=[spec])
    assert fault.startswith("namespaces[0].project: ")
    assert "40 characters" in fault


def test_two_clusters_may_each_have_the_same_namespace() -> None:
    other = ARN.replace("ab12cd34ef56", "zz12cd34ef56")
    read(json.dumps(TEAM | {"namespaces": [{"cluster": ARN}, {"cluster": other}]}))


def test_a_priority_class_is_named_without_the_ending_that_sagemaker_adds() -> None:
    [fault] = cluster_faults(priority_classes=[{"name": "training-priority", "weight": 1}])
    assert fault == "priority_classes[0].name: must be training: SageMaker adds -priority"
    twice = [{"name": "training", "weight": 1}, {"name": "training", "weight": 2}]
    [fault] = cluster_faults(priority_classes=twice)
    assert fault == "priority_classes[1].name: training stands here a second time"


def limits_faults(**limits: Any) -> list[str]:
    return team_faults(namespaces=[{"cluster": ARN, **limits}])


def test_the_limits_of_a_namespace_are_read() -> None:
    limits = {"priority_classes": ["training"], "host_paths": ["/mnt/k8s-disks/0"]}
    document = read(json.dumps(TEAM | {"namespaces": [{"cluster": ARN, **limits}]}))

    assert document.namespaces[0].priority_classes == ["training"]
    assert document.namespaces[0].host_paths == ["/mnt/k8s-disks/0"]
    [plain] = read(json.dumps(TEAM | {"namespaces": [{"cluster": ARN}]})).namespaces
    assert (plain.priority_classes, plain.host_paths) == (None, [])


def test_a_wrong_limit_is_named_where_it_stands() -> None:
    assert limits_faults(priority_classes=["a", "training-priority", "a"]) == [
        "namespaces[0].priority_classes[2]: a stands here a second time",
        "namespaces[0].priority_classes[1]: must be training: SageMaker adds -priority",
    ]
    assert limits_faults(host_paths=["/mnt", "/mnt", "/mnt/a", "/etc"]) == [
        "namespaces[0].host_paths[1]: /mnt stands here a second time",
        "namespaces[0].host_paths[2]: must not lie in /mnt: who writes there could put a link to "
        "anywhere in its place",
        "namespaces[0].host_paths[3]: must not be /etc: /etc holds the node's settings and "
        "credentials",
    ]


@pytest.mark.parametrize("orchestrator", ["slurm", "Slurm", " SLURM "])
def test_a_slurm_cluster_is_refused_with_the_reason(orchestrator: str) -> None:
    [fault] = cluster_faults(orchestrator=orchestrator)
    assert "only for clusters orchestrated by EKS" in fault


@pytest.mark.parametrize("day", ["2026-13-01", "01.02.2026", 20260101, "2026-01-01T00:00:00", None])
def test_a_day_is_written_as_year_month_day(day: Any) -> None:
    [fault] = team_faults(cost_centers=[{"code": "CC", "valid_from": day}])
    assert fault.startswith("cost_centers[0].valid_from: must be ")


@pytest.mark.parametrize("state", ["active", "frozen", "leaving"])
def test_each_state_of_a_team_is_taken(state: str) -> None:
    assert read(json.dumps(TEAM | {"state": state})).state == state


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: &x 1\nb: *x", "document, line 1: must have no anchor"),
        ("kind: Team\nteam: !!python/name:os.system x", "document, line 2: must have no tag"),
        ("kind: Team\nteam: a\nteam: b", "team, line 2: stands here a second time, on line 3"),
        (b"kind: Team\nteam: \xff", "document, line 2: must be UTF-8"),
        ("kind: Team\n---\nkind: Team", "document, line 2: must be one document"),
        ("[" * 21 + "]" * 21, "document, line 1: is nested more than 20 deep"),
        ("kind: Team\ntitle: a\u200bb", "document, line 2: holds ZERO WIDTH SPACE"),
        ('kind: Team\ntitle: "a\\x07b"', "title, line 2: holds the character U+0007"),
        ('{"kind":\n"\\ud83d"}', "kind, line 1: holds half a character"),
        ("kind: Team\n? [a]\n: b", "document, line 1: has a key on line 2 that is not a word"),
        ("kind: [", "document, line 1: "),
        ("kind: Team\nteam: a: b", "document, line 2: mapping values are not allowed here"),
        ("", "document, line 1: must be a mapping"),
        ("- kind: Team", "document, line 1: must be a mapping"),
        ("kind: Group", "kind, line 1: must be Cluster, Team or ChargebackRules"),
        ("kind: [Team]", "kind, line 1: must be Cluster, Team or ChargebackRules"),
        ("team: vision", "kind, line 1: must be Cluster, Team or ChargebackRules"),
    ],
)
def test_what_could_surprise_a_reader_is_refused_where_it_stands(
    text: str | bytes, fault: str
) -> None:
    assert faults(text)[0].startswith(fault)


def test_a_document_is_at_most_256_kib() -> None:
    head = json.dumps(TEAM)
    read(head + " " * (256 * 1024 - len(head)))
    assert faults(head + " " * (256 * 1024 - len(head) + 1)) == [
        "document: has 262145 bytes, 262144 are allowed"
    ]


@pytest.mark.parametrize("word", ["no", "on", "yes", "0x1F", "010:30", "1_000", "2026-01-01"])
def test_a_word_stays_a_word(word: str) -> None:
    assert read(f"kind: Team\nteam: vision\ntitle: {word}").title == word


def test_a_character_outside_the_basic_plane_is_one_character() -> None:
    assert read(json.dumps(TEAM | {"title": "🦊"})).title == "🦊"


def test_a_refusal_says_what_the_document_is_about() -> None:
    with pytest.raises(RefusedDocument) as refused:
        read(json.dumps({"kind": "Team", "team": "vision"}))
    assert refused.value.declared == {"kind": "Team", "team": "vision"}


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with pytest.raises(RefusedInput):
        read(body)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=20,
    )
)
def test_any_value_in_any_place_is_read_or_refused(value: Any) -> None:
    for text in (
        json.dumps(TEAM | {"namespaces": value}),
        json.dumps(TEAM | {"groups": value, "team": value}),
        json.dumps(CLUSTER | {"priority_classes": value}),
    ):
        with suppress(RefusedInput):
            read(text)


def test_a_word_far_too_long_is_named_by_its_field_and_repeated_nowhere() -> None:
    rows = "".join(f"  - {{cluster: c{n}, project: p}}\n" for n in range(50))
    text = f"kind: Team\nteam: {'a' * 100_000}\ntitle: x\nnamespaces:\n{rows}"
    with pytest.raises(RefusedDocument) as refused:
        read(text)
    assert any(reason.startswith("team, line 2") for reason in refused.value.reasons)
    assert max(len(reason) for reason in refused.value.reasons) < 1_000
    assert refused.value.declared == {"kind": "Team"}


def test_long_words_in_lists_are_not_repeated_either() -> None:
    long = "kube-" + "b" * 20_000
    text = f"kind: Team\nteam: {long}\ntitle: x\ngroups: {{lead: [{long}, {long}]}}\n"
    assert max(len(reason) for reason in faults(text)) < 1_000


def test_the_usage_source_is_the_ledger_or_says_where_the_report_lies() -> None:
    assert read(json.dumps(CLUSTER)).usage_source == "ledger"
    report = {"form": "raw", "bucket": "usage-report", "cluster_name": "hp-eks"}
    source = read(json.dumps(CLUSTER | {"usage_source": report})).usage_source
    assert (source.form, source.prefix) == ("raw", "")
    folder = {"prefix": "reports/hp-eks/"}
    assert read(json.dumps(CLUSTER | {"usage_source": report | folder})).usage_source.prefix


def test_a_fault_of_the_usage_source_is_told_about_the_form_that_was_meant() -> None:
    assert cluster_faults(usage_source="raw") == ["usage_source: must be 'ledger', and is 'raw'"]
    assert cluster_faults(usage_source={"form": "pdf", "bucket": "A_b", "prefix": "/../x"}) == [
        "usage_source.form: must be 'raw', 'summary' or 'csv', and is 'pdf'",
        "usage_source.bucket: must be the name of a bucket, and is 'A_b'",
        "usage_source.prefix: must be a folder of the bucket with its final slash and no first "
        "one, like usage/, and is '/../x'",
        "usage_source.cluster_name: is missing",
    ]
