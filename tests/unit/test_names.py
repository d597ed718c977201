"""Names that follow from other names fit into what AWS and Kubernetes take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain import names

ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
SLUGS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", fullmatch=True)


def test_a_team_and_its_projects_have_namespaces_of_their_own() -> None:
    assert names.namespace_name("vision") == "hyperpod-ns-vision"
    assert names.namespace_name("vision", "detection") == "hyperpod-ns-vision-detection"
    assert names.local_queue_name("hyperpod-ns-vision") == "hyperpod-ns-vision-localqueue"
    assert names.cluster_queue_name("hyperpod-ns-vision") == "hyperpod-ns-vision-clusterqueue"


def test_a_quota_is_named_after_its_cluster_and_team() -> None:
    assert names.quota_team_name("vision", "detection") == "vision-detection"
    assert names.quota_name(ARN, "vision") == "commons-ab12cd34ef56-vision"
    assert names.quota_name(ARN, "vision", "x") == "commons-ab12cd34ef56-vision-x"


def test_the_parts_of_an_arn() -> None:
    assert names.cluster_id(ARN) == "ab12cd34ef56"
    assert names.account_of(ARN) == "111122223333"
    assert names.region_of(ARN) == "us-west-2"


@given(SLUGS)
def test_every_name_of_a_team_fits_its_limit(team: str) -> None:
    assert len(names.namespace_name(team)) <= 63
    assert len(names.quota_name(ARN, team)) <= 63
    assert len(names.permission_set_name(team)) <= names.PERMISSION_SET_LENGTH


def test_a_permission_set_keeps_a_name_that_fits() -> None:
    assert names.permission_set_name("a" * 24) == "commons-" + "a" * 24


def test_long_names_that_begin_alike_are_told_apart() -> None:
    first, second = (names.permission_set_name("a" * 30 + end) for end in ("b", "c"))
    assert first != second
    assert first.startswith("commons-aaaaaaaaaaaaaaa-")


@pytest.mark.parametrize(
    ("user_name", "session"),
    [
        ("ada@example.com", "ada-example.com"),
        ("a+b=c,d.e_f-g", "a+b=c,d.e_f-g"),
        ("a", None),
        ("x" * 64, "x" * 64),
        ("x" * 65, None),
        ("ada lovelace", None),
        ("éva@example.com", None),
        ("", None),
    ],
)
def test_a_session_is_named_after_the_user_or_cannot_be(
    user_name: str, session: str | None
) -> None:
    assert names.session_name(user_name) == session


def test_a_cluster_knows_a_person_by_team_and_session() -> None:
    assert names.kubernetes_user("vision", "ada-example.com") == "commons:vision:ada-example.com"


@pytest.mark.parametrize(
    ("group", "reserved"),
    [
        ("system:masters", True),
        ("eks:admins", True),
        ("AWS:ops", True),
        ("Amazon:ops", True),
        ("iam:ops", True),
        (" System:masters", True),
        ("gpu-system:masters", False),
        ("systems:ops", False),
        ("iamops", False),
        ("", False),
    ],
)
def test_ac_07_groups_that_kubernetes_and_aws_keep_are_known_in_any_case(
    group: str, reserved: bool
) -> None:
    assert names.is_reserved_group(group) is reserved


@given(SLUGS, st.from_regex(r"[\w+=,.@:-]{1,64}", fullmatch=True))
def test_ac_07_no_person_of_any_team_has_a_name_that_is_kept(team: str, user_name: str) -> None:
    user = names.kubernetes_user(team, names.session_name(user_name) or user_name)
    assert not names.is_reserved_group(user)
    assert not names.is_reserved_group(team)
    assert not names.is_reserved_group(names.permission_set_name(team))
