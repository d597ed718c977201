"""What the gateway mends, end to end on a gateway that really runs."""

import json
import urllib.request
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from local.settings import ACCOUNT, REGION

from .conftest import Smoke, eventually


def event(**changes):
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Heard Event",
        "source": "aws.sagemaker",
        "account": ACCOUNT,
        "time": "2026-10-02T09:15:03Z",
        "region": "us-east-1",
        "resources": ["arn:aws:sagemaker:us-east-1:111122223333:cluster/abc"],
        "detail": {"ClusterName": "hp", "n": 1.5},
    } | changes


def post(smoke: Smoke, document):
    request = urllib.request.Request(
        f"http://127.0.0.1:{smoke.ports.events}/", json.dumps(document).encode(), method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_account_and_region_are_the_local_ones(smoke):
    assert smoke.client("sts").get_caller_identity()["Account"] == ACCOUNT
    assert f":{REGION}:{ACCOUNT}:" in smoke.names["Machine"]


def test_a_state_machine_tries_again_by_the_name_of_the_error(smoke):
    execution = smoke.run(key="retried", failures=2)
    assert execution["status"] == "SUCCEEDED"
    assert json.loads(execution["output"]) == {"attempt": 3}


def test_a_state_machine_catches_by_the_name_of_the_error(smoke):
    execution = smoke.run(key="caught", failures=9, by="Refused")
    assert json.loads(execution["output"]) == {"caught": "Refused"}
    assert smoke.attempts("caught") == 1


def test_a_worker_that_is_killed_is_an_exit_error_and_is_tried_again(smoke):
    execution = smoke.run(key="killed", failures=1, by="killed")
    assert execution["status"] == "SUCCEEDED"
    assert json.loads(execution["output"]) == {"attempt": 2}


def test_a_killed_worker_tells_its_caller_what_lambda_tells(smoke):
    answer = smoke.invoke("Flaky", {"key": "told", "failures": 1, "by": "killed"})
    assert (answer["error"], answer["errorType"]) == ("Unhandled", "Runtime.ExitError")


def test_a_function_that_lacks_a_package_says_which(smoke):
    answer = smoke.invoke("CannotStart", {})
    assert answer["errorType"] == "Runtime.ImportModuleError"
    assert "a_package_in_no_layer" in answer["errorMessage"]


def test_a_function_sees_the_runtime_and_its_layers_only(smoke):
    answer = smoke.invoke("LooksAround", {})
    assert answer["importable"] == ["boto3"]
    assert answer["python"] == [3, 13]


def test_a_function_is_told_where_the_other_parts_are(smoke):
    environment = smoke.invoke("LooksAround", {})["environment"]
    directory = f"http://127.0.0.1:{smoke.ports.directory}"
    assert environment["AWS_ENDPOINT_URL_IDENTITYSTORE"] == directory
    assert environment["AWS_ENDPOINT_URL_SSO_ADMIN"] == directory
    assert environment["AWS_ENDPOINT_URL_SAGEMAKER"] == directory
    assert environment["AWS_REGION"] == REGION


def test_a_function_may_do_only_what_its_role_grants(smoke):
    answer = smoke.invoke("Forbidden", {"key": "forbidden"})
    assert answer["errorType"] == "ClientError"
    assert "AccessDenied" in answer["errorMessage"]


def test_a_condition_of_a_permission_is_judged(smoke):
    assert "EventId" in smoke.invoke("ReachesOut", {"source": "gpu.commons"})
    refused = smoke.invoke("ReachesOut", {"source": "somebody.else"})
    assert "AccessDenied" in refused["errorMessage"]


def test_a_function_becomes_another_role_that_trusts_it(smoke):
    arn = smoke.invoke("ReachesOut", {})["arn"]
    assert arn == f"arn:aws:sts::{ACCOUNT}:assumed-role/smoke-other/a-session"


def test_a_throttled_step_is_tried_again_by_the_name_of_the_error(smoke):
    functions = smoke.client("lambda")
    name = smoke.names["Flaky"]
    functions.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=1)
    busy = json.dumps({"key": "busy", "seconds": 1})
    functions.invoke(FunctionName=name, InvocationType="Event", Payload=busy)
    eventually(lambda: smoke.attempts("busy"))
    try:
        execution = smoke.run(key="throttled")
    finally:
        functions.delete_function_concurrency(FunctionName=name)
    assert json.loads(execution.get("output", "{}")) == {"attempt": 1}, execution
    history = smoke.client("stepfunctions").get_execution_history(
        executionArn=execution["executionArn"]
    )
    assert "Lambda.TooManyRequestsException" in json.dumps(history["events"], default=str)


def test_a_rule_invokes_its_function_again_when_it_fails(smoke):
    told = {"eventSource": "sso-directory.amazonaws.com", "key": "again", "failures": 1}
    status, answer = post(smoke, event(detail=told))
    assert status == 200
    assert any("OnEventFunction" in rule for rule in answer["rules"])
    eventually(lambda: smoke.attempts("again") == 2)


def test_a_function_that_keeps_failing_reaches_its_destination(smoke):
    told = {"eventSource": "sso-directory.amazonaws.com", "key": "lost", "failures": 9}
    sent = event(detail=told)
    post(smoke, sent)
    eventually(lambda: _under_way(smoke).get(smoke.names["OnEvent"]))
    (failed,) = eventually(lambda: smoke.messages("Failed"))
    assert failed["requestPayload"] == sent
    assert smoke.attempts("lost") == 3
    eventually(lambda: smoke.names["OnEvent"] not in _under_way(smoke))


def _under_way(smoke):
    with urllib.request.urlopen(f"http://127.0.0.1:{smoke.ports.events}/under-way") as answer:
        return json.load(answer)["functions"]


def test_an_event_of_aws_is_delivered_as_it_is(smoke):
    sent = event(**{"an-unknown-key": {"kept": True}})
    status, answer = post(smoke, sent)
    assert (status, answer) == (200, {"rules": [answer["rules"][0]]})
    assert "ServiceEventRule" in answer["rules"][0]
    eventually(lambda: sent in smoke.messages("Heard"))


def test_an_event_that_no_rule_asks_for_names_none(smoke):
    assert post(smoke, event(source="aws.health")) == (200, {"rules": []})


def test_what_is_no_event_is_refused_with_its_faults(smoke):
    broken = event()
    del broken["source"]
    broken["detail"] = "text"
    status, answer = post(smoke, broken)
    assert status == 400
    assert [fault.partition(":")[0] for fault in answer["faults"]] == ["source", "detail"]


def test_an_execution_tells_its_status_changes(smoke):
    arn = smoke.run(key="tells")["executionArn"]
    statuses = []

    def both():
        details = [heard["detail"] for heard in smoke.messages("Heard")]
        statuses.extend(d["status"] for d in details if d.get("executionArn") == arn)
        return len(statuses) == 2

    eventually(both)
    assert statuses == ["RUNNING", "SUCCEEDED"]


def test_eks_hands_out_the_kubernetes_api_that_runs(smoke):
    iam, eks, ec2 = (smoke.client(service) for service in ("iam", "eks", "ec2"))
    role = iam.create_role(RoleName="eks", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
    eks.create_cluster(name="k", roleArn=role, resourcesVpcConfig={"subnetIds": [subnet]})
    cluster = eks.describe_cluster(name="k")["cluster"]
    assert cluster["endpoint"] == f"https://127.0.0.1:{smoke.ports.kubernetes}/clusters/k"
    assert cluster["certificateAuthority"]["data"] == "YSBjZXJ0aWZpY2F0ZQ=="


@pytest.mark.parametrize("unknown", ["k2"])
def test_an_eks_cluster_that_does_not_exist_is_not_made_up(smoke, unknown):
    eks = smoke.client("eks")
    with pytest.raises(eks.exceptions.ResourceNotFoundException):
        eks.describe_cluster(name=unknown)


def test_a_schedule_invokes_its_function(smoke):
    scheduler, functions = smoke.client("scheduler"), smoke.client("lambda")
    function = functions.get_function(FunctionName=smoke.names["OnEvent"])["Configuration"]
    soon = datetime.now(UTC) + timedelta(seconds=1)
    scheduler.create_schedule(
        Name="soon",
        ScheduleExpression=f"at({soon:%Y-%m-%dT%H:%M:%S})",
        FlexibleTimeWindow={"Mode": "OFF"},
        Target={
            "Arn": function["FunctionArn"],
            "RoleArn": function["Role"],
            "Input": json.dumps({"key": "scheduled"}),
        },
    )
    eventually(lambda: smoke.attempts("scheduled"), 30)
