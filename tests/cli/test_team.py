"""`commons team`: documents are checked, uploaded and answered; programs get stable JSON."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cli import uploads
from commons.adapters.document_reader import read_document
from commons.adapters.member_table import MemberTable
from commons.adapters.refusals import Refusals
from commons.domain.group_pins import GroupPin
from commons.domain.leavers import Leaver
from commons.domain.membership import Member, MembershipPlan
from commons.domain.status import Condition
from commons.domain.team import Accepted, Access, QuotaRecord
from tests.cli.stack_support import BUCKET, Deployed, deployed

ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
NAME = "hyperpod-ns-vision"
TEAM = f"kind: Team\nteam: vision\ntitle: Vision\nnamespaces:\n  - cluster: {ARN}\n"


class Stack:
    """Answers uploads while the command waits; `phase` is what a reconcile comes to."""

    def __init__(self, cloud: Deployed) -> None:
        self.cloud = cloud
        self.refuse: list[str] = []
        self.phase = "Ready"
        self.seconds = 0.0

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        for each in self.cloud.clients["s3"].list_objects_v2(Bucket=BUCKET).get("Contents", []):
            self._answer(each["Key"], each["ETag"].strip('"'))
        if self.cloud.table.status("vision").requested:
            self._reconcile()

    def _answer(self, key: str, etag: str) -> None:
        body = self.cloud.clients["s3"].get_object(Bucket=BUCKET, Key=key)["Body"].read()
        if self.refuse:
            Refusals(self.cloud.raw).record(
                "document", key, self.refuse, _now(), {"etag": etag, "body": "", "queue_arn": ""}
            )
            return
        document: Any = read_document(key, body, "gpu-")
        accepted = Accepted[Any](
            document=document, key=key, version="1", etag=etag, uploaded_at="t", accepted_at="2026"
        )
        self.cloud.table.keep(accepted)
        self._reconcile()

    def _reconcile(self) -> None:
        bad = [] if self.phase == "Ready" else [_condition("Conflict", "rename the project")]
        self.cloud.table.note_outcome("vision", self.phase, bad, None, _now())
        arn = self.cloud.table.status("vision").execution_arn
        if arn:
            requested = self.cloud.table.status("vision").requested
            self.cloud.table.release("vision", arn, requested)


def _now() -> datetime:
    # the reconcile comes after the command has begun
    return datetime.now(UTC) + timedelta(seconds=1)


def _condition(reason: str, message: str) -> Condition:
    return Condition(type="QuotaReady", status="False", reason=reason, message=message, since="s")


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    with deployed(monkeypatch) as found:
        yield found


@pytest.fixture
def answers(cloud: Deployed, monkeypatch: pytest.MonkeyPatch) -> Stack:
    found = Stack(cloud)
    monkeypatch.setattr(uploads.time, "sleep", found.sleep)
    monkeypatch.setattr(uploads.time, "monotonic", lambda: found.seconds)
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "vision.yaml"
    path.write_text(TEAM)
    return path


def known(cloud: Deployed) -> None:
    """Team vision as a reconcile left it."""
    document: Any = read_document("k", TEAM.encode(), "gpu-")
    table = cloud.table
    table.keep(
        Accepted[Any](
            document=document, key="k", version="1", etag="e", uploaded_at="t", accepted_at="2026"
        )
    )
    ada = Member.model_validate(
        {
            "user_id": "u1",
            "user_name": "ada@example.com",
            "role": "lead",
            "state": "active",
            "memberships": {"m1": "g1"},
        }
    )
    people = MemberTable(cloud.raw)
    left = [
        Leaver(
            user_id=user_id,
            user_name=name,
            role="member",
            left_at="2026-11-02T08:00:00Z",
            sessions_until="2026-11-02T12:00:00Z",
            expires_at=1,
        )
        # one of them has come back
        for user_id, name in (("u1", "ada@example.com"), ("u2", "noah@example.com"))
    ]
    people.save("vision", MembershipPlan(members=(ada,), changed=(ada,), gone=()), left)
    people.pin("vision", "gpu-vision", GroupPin(group_id="g1", role="lead"))
    table.put_access(
        "vision",
        Access(
            account="111122223333",
            permission_set="commons-vision",
            permission_set_arn="arn:ps",
            role_arn="arn:role",
        ),
    )
    resources = [{"instance_type": "ml.p5.48xlarge", "accelerators": 8}]
    table.note_quota("vision", ARN, NAME, QuotaRecord(id="q", version=2, resources=resources))
    table.note_access_entry("vision", ARN, NAME, "arn:entry")
    conditions = [_condition("Held", "confirm it")]
    table.note_conditions("vision", ARN, NAME, None, "Held", conditions)
    table.note_outcome("vision", "Held", conditions, "1", _now())


def test_a_team_is_shown_with_every_part_that_scripts_rely_on(cloud: Deployed) -> None:
    known(cloud)
    condition = {
        "type": "QuotaReady",
        "status": "False",
        "reason": "Held",
        "message": "confirm it",
        "since": "s",
    }
    assert cloud.run("team", "show", "vision", "--json").json() == {
        "team": "vision",
        "title": "Vision",
        "state": "active",
        "phase": "Held",
        "conditions": [condition],
        "members": [
            {
                "user_id": "u1",
                "user_name": "ada@example.com",
                "role": "lead",
                "state": "active",
                "groups": ["gpu-vision"],
            }
        ],
        "left": [
            {
                "user_id": "u2",
                "user_name": "noah@example.com",
                "role": "member",
                "left_at": "2026-11-02T08:00:00Z",
                "sessions_until": "2026-11-02T12:00:00Z",
            }
        ],
        "access": [
            {
                "account": "111122223333",
                "permission_set": "commons-vision",
                "role_arn": "arn:role",
            }
        ],
        "namespaces": [
            {
                "cluster": ARN,
                "project": None,
                "namespace": NAME,
                "phase": "Held",
                "conditions": [condition],
                "access_entry": "arn:entry",
                "quota": {
                    "id": "q",
                    "version": 2,
                    "resources": [{"instance_type": "ml.p5.48xlarge", "accelerators": 8}],
                },
            }
        ],
    }


def test_a_table_says_who_may_do_what_and_why_not(cloud: Deployed) -> None:
    known(cloud)
    shown = cloud.run("team", "show", "vision").out
    for text in ("ada@example.com", "run tasks", NAME, "confirm it", "commons-vision"):
        assert text in shown


def test_ac_17_a_table_says_until_when_a_session_of_somebody_who_left_may_live(
    cloud: Deployed,
) -> None:
    known(cloud)
    shown = cloud.run("team", "show", "vision").out
    for text in ("noah@example.com", "refused in the clusters since", "2026-11-02T12:00:00Z"):
        assert text in shown


def test_a_table_says_whether_access_is_verified(cloud: Deployed) -> None:
    def shown(status: str, reason: str) -> str:
        told = Condition(
            type="AccessVerified", status=status, reason=reason, message="m", since="noon"
        )
        cloud.table.note_conditions("vision", ARN, NAME, None, "Ready", [told])
        return cloud.run("team", "show", "vision").out

    known(cloud)
    assert "not verified" in cloud.run("team", "show", "vision").out
    assert "verified since noon" in shown("True", "UpToDate")
    assert "Observing" in shown("True", "Observing")
    assert "AccessTooWide" in shown("False", "AccessTooWide")


def test_a_team_that_was_never_reconciled_is_converging(cloud: Deployed, file: Path) -> None:
    document: Any = read_document("k", TEAM.encode(), "gpu-")
    cloud.table.keep(
        Accepted[Any](
            document=document, key="k", version="1", etag="e", uploaded_at="t", accepted_at="2026"
        )
    )
    shown = cloud.run("team", "show", "vision", "--json").json()
    assert (shown["phase"], shown["members"], shown["access"]) == ("Converging", [], [])
    [namespace] = shown["namespaces"]
    assert (namespace["phase"], namespace["quota"]) == ("Converging", None)


def test_teams_are_listed_with_their_phase(cloud: Deployed) -> None:
    assert cloud.run("team", "list", "--json").json() == []
    known(cloud)
    assert cloud.run("team", "list", "--json").json() == [
        {"team": "vision", "title": "Vision", "state": "active", "phase": "Held", "namespaces": 1}
    ]
    assert "vision" in cloud.run("team", "list").out


def test_an_unknown_team_is_a_failure_that_says_what_to_do(cloud: Deployed) -> None:
    for command in ("show", "reconcile"):
        result = cloud.run("team", command, "vision")
        assert result.code == 1
        assert "commons team list" in result.error


def test_a_document_is_checked_without_uploading_it(cloud: Deployed, file: Path) -> None:
    assert cloud.run("team", "validate", str(file), "--json").json() == [
        {"kind": "Team", "team": "vision", "file": str(file), "result": "valid"}
    ]
    assert "Contents" not in cloud.clients["s3"].list_objects_v2(Bucket=BUCKET)


def test_every_fault_of_every_file_is_bad_input(
    cloud: Deployed, file: Path, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("kind: Team\nteam: Vision\n")
    for command in ("validate", "apply"):
        result = cloud.run("team", command, str(file), str(wrong))
        assert (result.code, result.out) == (2, "")
        assert f"{wrong}: title, line 1: is missing" in result.error
        assert f"{wrong}: team, line 2: must be" in result.error
    assert "Contents" not in cloud.clients["s3"].list_objects_v2(Bucket=BUCKET)


def test_a_file_that_is_not_there_is_bad_input(cloud: Deployed, tmp_path: Path) -> None:
    result = cloud.run("team", "validate", str(tmp_path / "none.yaml"))
    assert result.code == 2
    assert "none.yaml cannot be read: No such file" in result.error


def test_a_document_is_uploaded_and_accepted(cloud: Deployed, answers: Stack, file: Path) -> None:
    assert cloud.run("team", "apply", str(file), "--json").json() == [
        {
            "kind": "Team",
            "team": "vision",
            "key": "documents/teams/vision.yaml",
            "result": "accepted",
        }
    ]
    body = cloud.clients["s3"].get_object(Bucket=BUCKET, Key="documents/teams/vision.yaml")
    assert body["Body"].read() == TEAM.encode()


def test_what_the_stack_refuses_is_bad_input_with_its_faults(
    cloud: Deployed, answers: Stack, file: Path
) -> None:
    answers.refuse = ["namespaces[0], line 5: belongs to another"]
    result = cloud.run("team", "apply", str(file))
    assert result.code == 2
    assert "namespaces[0], line 5: belongs to another" in result.error


def test_an_earlier_refusal_of_the_same_text_is_not_the_answer(
    cloud: Deployed, answers: Stack, file: Path
) -> None:
    answers.refuse = ["the name is taken"]
    assert cloud.run("team", "apply", str(file)).code == 2
    answers.refuse = []
    assert cloud.run("team", "apply", str(file)).code == 0


def test_waiting_ends_with_the_phase(cloud: Deployed, answers: Stack, file: Path) -> None:
    [told] = cloud.run("team", "apply", str(file), "--wait", "--json").json()
    assert told["phase"] == "Ready"


def test_waiting_for_a_team_that_is_not_well_fails_with_the_reason(
    cloud: Deployed, answers: Stack, file: Path
) -> None:
    answers.phase = "Conflict"
    result = cloud.run("team", "apply", str(file), "--wait")
    assert result.code == 1
    assert "team vision is Conflict" in result.error
    assert "rename the project" in result.error


def test_an_answer_that_does_not_come_is_a_failure(
    cloud: Deployed, answers: Stack, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_answer", lambda *_: None)
    result = cloud.run("team", "apply", str(file))
    assert result.code == 1
    assert "commons doctor" in result.error


def test_a_reconcile_is_requested_and_waited_for(cloud: Deployed, answers: Stack) -> None:
    known(cloud)
    started: list[dict[str, Any]] = []

    class States:
        def start_execution(self, **arguments: Any) -> None:
            started.append(arguments)

    cloud.clients["stepfunctions"] = States()
    result = cloud.run("team", "reconcile", "vision", "--wait", "--json")
    assert result.json() == [{"team": "vision", "result": "requested", "phase": "Ready"}]
    assert json.loads(started[0]["input"]) == {"team": "vision"}


def test_a_cluster_document_is_sent_to_its_own_command(cloud: Deployed, tmp_path: Path) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_text(f"kind: Cluster\ncluster: {ARN}\nname: r\neks_cluster: e\n")
    result = cloud.run("team", "apply", str(path))
    assert result.code == 2
    assert "commons cluster register" in result.error


def test_brackets_in_a_title_are_no_markup(cloud: Deployed) -> None:
    document: Any = read_document("k", TEAM.replace("Vision", "'[/red] Vision'").encode(), "gpu-")
    cloud.table.keep(
        Accepted[Any](
            document=document, key="k", version="1", etag="e", uploaded_at="t", accepted_at="2026"
        )
    )
    for command in (["show", "vision"], ["list"]):
        assert "[/red] Vision" in cloud.run("team", *command).out


def test_documents_of_both_kinds_are_checked_together(
    cloud: Deployed, file: Path, tmp_path: Path
) -> None:
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(f"kind: Cluster\ncluster: {ARN}\nname: r\neks_cluster: e\n")
    shown = cloud.run("team", "validate", str(file), str(cluster))
    assert shown.code == 0
    assert "vision" in shown.out
