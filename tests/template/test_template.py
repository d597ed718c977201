"""Rules of the house about template.yaml, checked so that a review need not."""

import re
from typing import Any

import pytest

from commons import settings
from tests.template.template import ROOT, resources, statements, template, text

FUNCTIONS = "AWS::Serverless::Function"
MACHINES = "AWS::Serverless::StateMachine"
CAPABILITIES = ("directory", "teams", "tasks", "chargeback")


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def handler_files() -> list[str]:
    files = [p for c in CAPABILITIES for p in (ROOT / "functions" / c).glob("*.py")]
    return sorted(f"{p.parent.name}.{p.stem}" for p in files if p.stem != "__init__")


def test_every_function_file_has_a_resource_of_the_same_name_and_the_reverse() -> None:
    expected = {f"{camel(f.split('.')[1])}Function": f"{f}.handler" for f in handler_files()}
    assert {name: p["Handler"] for name, p in resources(FUNCTIONS).items()} == expected


def test_every_state_machine_file_has_a_resource_of_the_same_name() -> None:
    files = (ROOT / "statemachines").glob("*.asl.json")
    expected = {camel(p.name.removesuffix(".asl.json")): f"statemachines/{p.name}" for p in files}
    assert {name: p["DefinitionUri"] for name, p in resources(MACHINES).items()} == expected


def policies() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for kind in (FUNCTIONS, MACHINES):
        for name, properties in resources(kind).items():
            found += [(name, s) for s in statements(properties.get("Policies", []))]
    return found


def test_no_policy_has_a_wildcard_action() -> None:
    for name, statement in policies():
        actions = statement["Action"]
        for action in [actions] if isinstance(actions, str) else actions:
            assert "*" not in action, f"{name}: {action}"


def test_every_wildcard_resource_says_why_on_its_line() -> None:
    bare = [line for line in text().splitlines() if re.search(r'Resource: "\*"\s*$', line)]
    assert bare == []


def test_assignments_are_made_in_the_own_account_and_identity_center_only() -> None:
    function = resources("AWS::Serverless::Function")["ReconcileAccessFunction"]
    places = [
        place
        for each in statements(function["Policies"])
        if "sso:CreateAccountAssignment" in each["Action"]
        for place in each["Resource"]
    ]
    assert {"Fn::Sub": "arn:${AWS::Partition}:sso:::account/${AWS::AccountId}"} in places
    assert {"Ref": "InstanceArn"} in places
    assert "*" not in places


def test_events_are_published_only_under_our_own_source() -> None:
    for name, statement in policies():
        if "events:PutEvents" in statement["Action"]:
            condition = {"StringEquals": {"events:source": "gpu.commons"}}
            assert statement.get("Condition") == condition, name


def test_every_queue_that_feeds_a_function_has_dead_letters() -> None:
    queues = resources("AWS::SQS::Queue")
    for name, properties in queues.items():
        if name.endswith("DeadLetters"):
            continue
        target = properties["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"]
        assert target == f"{name.removesuffix('Queue')}DeadLetters.Arn"


def test_every_rule_goes_to_a_queue_or_has_dead_letters() -> None:
    queues = resources("AWS::SQS::Queue")
    for name, properties in resources("AWS::Events::Rule").items():
        for target in properties["Targets"]:
            queue = target["Arn"].get("Fn::GetAtt", "").removesuffix(".Arn")
            assert queue in queues or "DeadLetterConfig" in target, name


def test_every_queue_and_its_dead_letters_are_outputs() -> None:
    outputs = set(template()["Outputs"])
    assert set(resources("AWS::SQS::Queue")) <= outputs


def test_every_queue_fed_by_a_function_answers_which_messages_failed() -> None:
    for name, properties in resources(FUNCTIONS).items():
        for event in properties.get("Events", {}).values():
            if event["Type"] == "SQS":
                answers = event["Properties"]["FunctionResponseTypes"]
                assert answers == ["ReportBatchItemFailures"], name


def test_every_variable_of_a_function_is_a_field_of_the_settings() -> None:
    classes = [c for c in vars(settings).values() if isinstance(c, type)]
    fields = {f for c in classes if issubclass(c, settings.Settings) for f in c.model_fields}
    for name, properties in resources(FUNCTIONS).items():
        variables = properties.get("Environment", {}).get("Variables", {})
        unknown = {v for v in variables if v.lower() not in fields}
        assert not unknown, f"{name}: {unknown}"


@pytest.mark.parametrize("kind", [FUNCTIONS, MACHINES])
def test_everything_that_runs_is_in_the_table_of_the_readme(kind: str) -> None:
    readme = (ROOT / "README.md").read_text()
    for name in resources(kind):
        told = re.sub(r"(?<!^)(?=[A-Z])", "_", name.removesuffix("Function")).lower()
        assert f"`{told}`" in readme, f"{name} is not in the README"
