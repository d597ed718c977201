"""Every part of every admission policy, loosened."""

import re
from collections.abc import Iterator
from copy import deepcopy

from commons.domain import admission
from tests.cluster.isolation.loosen.mutation import (
    Mutation,
    Object,
    each_without,
    policy,
    policy_binding,
)
from tests.kubernetes_api import Cluster

# one comparison of a condition: who asks, or for what
_TERM = re.compile(r"request\.[\w.]+(?:\.startsWith\('[^']*'\)| == '[^']*')")
_ELSEWHERE = {"matchLabels": {"gpu.commons/team": "nobody"}}


def mutations(administrator: Cluster) -> Iterator[Mutation]:
    for each in admission.POLICIES:
        yield from _of_binding(each.name, administrator.get(policy_binding(each.name)))
        found = administrator.get(policy(each.name))
        for told, spec in (
            *_validations(found["spec"]),
            *_conditions(found["spec"]),
            *_operations(found["spec"]),
            *_resources(found["spec"]),
            ("namespaces: others only", _constrained(found["spec"], namespaceSelector=_ELSEWHERE)),
        ):
            instead = {**found, "spec": spec}
            yield Mutation(f"{each.name}: {told}", policy(each.name), instead, (each.name,))


def _of_binding(name: str, found: Object) -> Iterator[Mutation]:
    yield Mutation(f"{name}: binding deleted", policy_binding(name), None, (name,))
    told = {**found, "spec": {**found["spec"], "validationActions": ["Audit"]}}
    yield Mutation(f"{name}: told and not refused", policy_binding(name), told, (name,))


def _validations(spec: Object) -> Iterator[tuple[str, Object]]:
    for number, validation in enumerate(spec["validations"]):
        instead = deepcopy(spec)
        instead["validations"][number]["expression"] = "true"
        words = validation.get("message") or validation["messageExpression"]
        yield f"no longer refused: {words[:60]}", instead


def _conditions(spec: Object) -> Iterator[tuple[str, Object]]:
    (condition,) = spec["matchConditions"]
    for term in dict.fromkeys(_TERM.findall(condition["expression"])):
        narrow = condition["expression"].replace(term, "false")
        yield f"not if {term}", {**spec, "matchConditions": [{**condition, "expression": narrow}]}


def _operations(spec: Object) -> Iterator[tuple[str, Object]]:
    rules = spec["matchConstraints"]["resourceRules"]
    for operation in dict.fromkeys(each for rule in rules for each in rule["operations"]):
        kept = [
            {**rule, "operations": others}
            for rule in rules
            if (others := [each for each in rule["operations"] if each != operation])
        ]
        yield f"operations: not {operation}", _constrained(spec, resourceRules=kept)


def _resources(spec: Object) -> Iterator[tuple[str, Object]]:
    rules = spec["matchConstraints"]["resourceRules"]
    for number, rule in enumerate(rules):
        for resource, others in each_without(rule["resources"]):
            changed = [{**rule, "resources": others}] if others else []
            left = [*rules[:number], *changed, *rules[number + 1 :]]
            # a policy for nothing is not taken
            left = left or [{**rule, "apiGroups": ["example.com"]}]
            yield f"resources: not {resource}", _constrained(spec, resourceRules=left)


def _constrained(spec: Object, **changes: object) -> Object:
    return {**spec, "matchConstraints": {**spec["matchConstraints"], **changes}}
