"""`commons local` as a script sees it: output, exit codes, and the way to the cloud it prints."""

import json
import os
import subprocess
import sys
from pathlib import Path

import boto3
import pytest
import yaml

from local import kubeconfig, processes, settings, state

COMMONS = Path(sys.executable).with_name("commons")


@pytest.fixture
def commons(tmp_path, gateway):
    """The command, with a home that says that the gateway of these tests is a local cloud."""
    ourselves = processes.Process(pid=os.getpid(), started=processes._start_time(os.getpid()) or "")
    parts = {"gateway": ourselves, "directory": ourselves, "kubernetes": ourselves}
    state.write(state.State(ports=gateway, parts=parts), tmp_path)

    def run(*arguments, home=tmp_path):
        environment = {**os.environ, "COMMONS_LOCAL_HOME": str(home), "COLUMNS": "200"}
        return subprocess.run(
            [COMMONS, "local", *arguments], env=environment, capture_output=True, text=True
        )

    return run


@pytest.fixture
def event_file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    return write


EVENT = {
    "id": "1",
    "source": "aws.nobody-asks",
    "detail-type": "A Thing",
    "account": settings.ACCOUNT,
    "time": "2026-10-02T09:15:03Z",
    "region": "us-east-1",
    "detail": {},
}


def test_nothing_runs_where_nothing_was_started(commons, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    for arguments in (["status"], ["env"], ["wait"], ["deploy"]):
        ended = commons(*arguments, home=elsewhere)
        assert (ended.returncode, "commons local up" in ended.stderr) == (1, True)
        assert ended.stdout == ""


def test_status_for_programs(commons, gateway):
    answer = json.loads(commons("status", "--json").stdout)
    assert answer["running"] is True
    assert [part["part"] for part in answer["parts"]] == ["gateway", "directory", "kubernetes"]
    assert answer["parts"][0]["port"] == gateway.gateway


def test_status_names_a_part_that_ended_and_exits_with_one(commons, tmp_path):
    recorded = state.read(tmp_path)
    gone = {**recorded.parts, "directory": processes.Process(pid=1, started="never")}
    state.write(recorded.model_copy(update={"parts": gone}), tmp_path)
    ended = commons("status", "--json")
    assert ended.returncode == 1
    assert "directory ended by itself" in ended.stderr
    assert json.loads(ended.stdout)["running"] is False


def test_up_does_nothing_where_it_runs(commons):
    ended = commons("up")
    assert (ended.returncode, "runs already" in ended.stdout) == (0, True)


def test_the_shell_exports_reach_the_cloud(commons):
    printed = commons("env").stdout
    script = f'eval "$(cat <<"END"\n{printed}\nEND\n)"; env'
    shell = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    found = dict(line.split("=", 1) for line in shell.stdout.splitlines() if "=" in line)
    client = boto3.client(
        "sts",
        endpoint_url=found["AWS_ENDPOINT_URL"],
        region_name=found["AWS_REGION"],
        aws_access_key_id=found["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=found["AWS_SECRET_ACCESS_KEY"],
    )
    assert client.get_caller_identity()["Account"] == settings.ACCOUNT
    user = yaml.safe_load(Path(found["KUBECONFIG"]).read_text())["users"][0]["user"]["exec"]
    assert user["args"] == ["local", "token"]
    assert Path(user["command"]).exists()


def test_the_token_is_a_signed_request_for_that_cluster(gateway):
    import base64
    import urllib.request

    session = boto3.Session(settings.ACCOUNT, settings.SECRET, region_name=settings.REGION)
    endpoint = settings.urls(gateway)["COMMONS_LOCAL_GATEWAY_URL"]
    token = kubeconfig.token(session, endpoint, "some-cluster")
    url = base64.urlsafe_b64decode(token.removeprefix("k8s-aws-v1.") + "==").decode()
    assert "x-k8s-aws-id" in url
    request = urllib.request.Request(url, headers={"x-k8s-aws-id": "some-cluster"})  # noqa: S310
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        assert f"arn:aws:iam::{settings.ACCOUNT}:root" in answer.read().decode()


def test_an_event_that_nobody_asks_for_is_out_of_scope(commons, event_file):
    ended = commons("event", event_file("one.json", EVENT), "--json")
    assert ended.returncode == 0
    (one,) = json.loads(ended.stdout)
    assert (one["outcome"], one["id"], one["rules"]) == ("out of scope", "1", [])


def test_a_list_of_events_is_delivered_one_by_one(commons, event_file):
    ended = commons("event", event_file("many.json", [EVENT, {**EVENT, "id": "2"}]), "--json")
    assert [one["id"] for one in json.loads(ended.stdout)] == ["1", "2"]


@pytest.mark.parametrize("content", [{"id": "1"}, "no json", [], "[1]", '"text"'])
def test_what_is_no_event_is_refused_by_name_and_blocks_nothing(commons, event_file, content):
    wrong, right = event_file("wrong.json", content), event_file("right.json", EVENT)
    ended = commons("event", wrong, right, "--json")
    assert ended.returncode == 2
    assert "wrong.json" in ended.stderr
    assert [one["outcome"] for one in json.loads(ended.stdout)] == ["refused", "out of scope"]


def test_a_file_that_is_not_there_is_bad_input(commons):
    ended = commons("event", "nowhere.json")
    assert ended.returncode == 2
    assert "nowhere.json" in ended.stderr


def test_waiting_needs_something_deployed(commons):
    ended = commons("wait")
    assert ended.returncode == 1
    assert "commons local deploy" in ended.stderr


def test_a_log_is_found_by_a_part_of_a_functions_name(commons, tmp_path):
    folder = tmp_path / "logs" / "functions"
    folder.mkdir(parents=True)
    folder.joinpath("gpu-commons-WatchTasksFunction-1.log").write_text("one\ntwo\n")
    assert commons("logs", "watch_tasks", "--lines", "1").stdout == "two\n"


def test_a_log_that_does_not_exist_is_bad_input(commons):
    ended = commons("logs", "nobody")
    assert (ended.returncode, "nobody" in ended.stderr) == (2, True)
