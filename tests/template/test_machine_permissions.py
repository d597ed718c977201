"""A state machine's role may do what its definition does, on that, and nothing else.

The local cloud does not judge these roles, so this is all that stands between a forgotten
permission and AWS.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.template.template import ROOT, resources, statements
from tests.template.test_statemachines import machines

MACHINES = resources("AWS::Serverless::StateMachine")
INVOKE = "arn:aws:states:::lambda:invoke"
STATES = "arn:${AWS::Partition}:states:${AWS::Region}:${AWS::AccountId}"

Grant = tuple[str, str]


def definition(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((ROOT / MACHINES[name]["DefinitionUri"]).read_text())
    return read


def called(name: str) -> Iterator[Grant]:
    """Every action of the definition with what it acts on."""
    for machine in machines(definition(name)):
        for title, state in machine["States"].items():
            if state["Type"] == "Task":
                assert state["Resource"] == INVOKE, f"{title}: say here what this needs"
                yield "lambda:InvokeFunction", _function(name, state)
            if state["Type"] == "Map" and _may_be_distributed(name, state):
                yield from _distributed(MACHINES[name]["Name"]["Fn::Sub"])


def _function(name: str, state: dict[str, Any]) -> str:
    (key,) = re.fullmatch(r"\$\{(\w+)\}", state["Arguments"]["FunctionName"]).groups()
    substituted: dict[str, str] = MACHINES[name]["DefinitionSubstitutions"][key]
    return substituted["Fn::GetAtt"]


def _may_be_distributed(name: str, state: dict[str, Any]) -> bool:
    mode = state["ItemProcessor"]["ProcessorConfig"]["Mode"]
    return mode != "INLINE"  # also where a parameter decides


def _distributed(name: str) -> Iterator[Grant]:
    """A distributed map runs its items as executions of the machine itself."""
    yield "states:StartExecution", f"{STATES}:stateMachine:{name}"
    for action in ("states:DescribeExecution", "states:StopExecution"):
        # the documentation names the first; its items' executions carry a label after a slash
        yield action, f"{STATES}:execution:{name}:*"
        yield action, f"{STATES}:execution:{name}/*"


def granted(name: str) -> Iterator[Grant]:
    for statement in statements(MACHINES[name]["Policies"]):
        assert statement["Effect"] == "Allow"
        for action in _listed(statement["Action"]):
            for resource in _listed(statement["Resource"]):
                yield action, resource.get("Fn::GetAtt") or resource["Fn::Sub"]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("name", MACHINES)
def test_what_the_definition_calls_is_what_is_granted(name: str) -> None:
    assert sorted(granted(name)) == sorted(set(called(name)))


def test_one_of_them_has_a_distributed_map_and_one_has_not() -> None:
    actions = {name: {action for action, _ in called(name)} for name in MACHINES}
    assert "states:StartExecution" in actions["PublishChargeback"]
    assert actions["ReconcileTeam"] == {"lambda:InvokeFunction"}
