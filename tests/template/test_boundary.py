"""The ceiling over every role: what it denies, and on which parameter that hangs."""

from typing import Any

from tests.template.template import resources, template

KEPT = ("fsx:Delete*", "elasticfilesystem:Delete*", "sagemaker:Delete*", "dynamodb:DeleteTable")


def statements() -> list[Any]:
    boundary = resources("AWS::IAM::ManagedPolicy")["KeepsData"]
    found: list[Any] = boundary["PolicyDocument"]["Statement"]
    return found


def conditional() -> list[dict[str, Any]]:
    return [each["Fn::If"][2] for each in statements() if "Fn::If" in each]


def test_data_may_be_deleted_only_where_the_parameter_says_so() -> None:
    assert template()["Parameters"]["AllowDataDeletion"]["Default"] == "false"
    assert template()["Conditions"]["DataDeletionIsAllowed"]["Fn::Equals"][1] == "true"
    for each in statements():
        if "Fn::If" in each:
            condition, on, _ = each["Fn::If"]
            assert (condition, on) == ("DataDeletionIsAllowed", {"Ref": "AWS::NoValue"})
    denied = [action for each in conditional() for action in each["Action"]]
    assert set(KEPT) <= set(denied)
    assert {each["Effect"] for each in conditional()} == {"Deny"}


def test_the_only_objects_that_may_go_are_lines_of_a_run_that_died() -> None:
    (objects,) = [each for each in conditional() if each["Action"] == "s3:DeleteObject"]
    assert objects["NotResource"] == {"Fn::Sub": "${ChargebackBucket.Arn}/lines/*"}


def test_no_role_can_change_a_role_whatever_the_parameter() -> None:
    always = [each for each in statements() if each.get("Effect") == "Deny"]
    denied = [action for each in always for action in each["Action"]]
    assert {"iam:Delete*", "iam:Put*", "iam:Attach*", "iam:Set*", "iam:PassRole"} <= set(denied)


def test_everything_that_runs_is_under_the_ceiling() -> None:
    boundary = {"Ref": "KeepsData"}
    assert template()["Globals"]["Function"]["PermissionsBoundary"] == boundary
    for kind in ("AWS::Serverless::StateMachine", "AWS::IAM::Role"):
        for name, properties in resources(kind).items():
            assert properties["PermissionsBoundary"] == boundary, name
    for name, properties in resources("AWS::Serverless::Function").items():
        for event in properties.get("Events", {}).values():
            if event["Type"] == "ScheduleV2":
                assert event["Properties"]["PermissionsBoundary"] == boundary, name
