"""Nobody goes before others with a priority that the namespace was not given."""

from commons.domain.admission_parameters import PRIORITY_CLASSES
from commons.domain.admission_policy import TENANT, Cel, Check, Policy, rule
from commons.domain.admission_tasks import POD, PRIORITY_LABEL, TASKS, labels

_LIST = f"namespaceObject.metadata.?annotations[?'{PRIORITY_CLASSES}']"


def _class(workload: str) -> str:
    """Kueue writes it as a reference (v1beta2), or as a name beside its source (v1beta1)."""
    spec = f"{workload}.?spec"
    return f"{spec}.?priorityClassRef.?name.orValue({spec}.?priorityClassName.orValue(''))"


def _source(workload: str) -> str:
    spec = f"{workload}.?spec"
    return f"{spec}.?priorityClassRef.?group.orValue({spec}.?priorityClassSource.orValue(''))"


def _same(*fields: str) -> str:
    return " && ".join(f"{each} == {each.replace('object', 'oldObject')}" for each in fields)


_MAY_USE = Cel(
    f"request.namespace + ' may use ' + variables.said + ': change the label {PRIORITY_LABEL}'"
)
_PRIORITY = "object.?spec.?priority.orValue(0)"

POLICY = Policy(
    name="commons-priority",
    whom="tasks of tenants; pods and Workloads from anybody",
    rules=(*TASKS, rule("kueue.x-k8s.io", ("workloads",), ("CREATE", "UPDATE"))),
    # what is not a tenant's is judged when it is made: a controller that mends or ends a pod that
    # is there already must not be stopped
    condition=(
        f"{TENANT} || request.resource.resource == 'workloads'"
        " || (request.resource.resource == 'pods' && request.operation == 'CREATE')"
    ),
    variables=(
        ("any", f"!{_LIST}.hasValue()"),
        ("allowed", f"{_LIST}.orValue('').split(',')"),
        ("workload", "object.kind == 'Workload'"),
        ("labels", f"variables.workload ? {{}} : ({labels('object')})"),
        (
            "classes",
            f"[object.metadata.?labels[?'{PRIORITY_LABEL}'].orValue(''),"
            f" variables.labels[?'{PRIORITY_LABEL}'].orValue('')].filter(c, c != '')",
        ),
        ("pod", POD),
        (
            "said",
            "variables.allowed == [''] ? 'no priority class'"
            " : 'only the priority classes ' + variables.allowed.join(', ')",
        ),
    ),
    checks=(
        Check(
            f"has no label `{PRIORITY_LABEL}` but one of the namespace's list",
            "variables.workload || variables.any"
            " || variables.classes.all(c, c in variables.allowed)",
            _MAY_USE,
        ),
        Check(
            "names no PriorityClass of the cluster in its pod template",
            "variables.workload || object.kind == 'Pod'"
            " || variables.pod.?priorityClassName.orValue('') == ''",
            f"a task may not name a priorityClassName: use the label {PRIORITY_LABEL}",
        ),
        Check(
            "is no pod with a priority of the cluster's above zero",
            f"object.kind != 'Pod' || request.operation != 'CREATE' || {_PRIORITY} <= 0",
            f"a pod may not have a priorityClassName: use the label {PRIORITY_LABEL}",
        ),
        Check(
            "becomes, whatever its kind, no Workload with another priority",
            "!variables.workload"
            " || (request.operation == 'UPDATE'"
            f" && {_same(_class('object'), _source('object'), _PRIORITY)})"
            f" || ({_source('object')}.startsWith('kueue.x-k8s.io')"
            f" ? variables.any || {_class('object')} in variables.allowed : {_PRIORITY} <= 0)",
            _MAY_USE,
        ),
    ),
)
