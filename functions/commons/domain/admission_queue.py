"""No task of a tenant passes the queue by."""

from commons.domain.admission_policy import TENANT, Cel, Check, Policy
from commons.domain.admission_tasks import PREBUILT_LABEL, QUEUE_LABEL, TASKS, labels

_OWNERS = "metadata.?ownerReferences.orValue([])"

# Kueue reads it from a label or an annotation; Jobs and pods may get theirs from a template
_MARKS = ", ".join(
    f"object.?{place}.?{marks}.orValue({{}})"
    for place in ("metadata", "spec.?jobTemplate.?metadata", "spec.?template.?metadata")
    for marks in ("labels", "annotations")
)


def _suspended(task: str) -> str:
    return f"{task}.?spec.?suspend.orValue({task}.?spec.?runPolicy.?suspend.orValue(false))"


POLICY = Policy(
    name="commons-queue",
    whom="tasks and pods that a tenant makes or changes",
    rules=TASKS,
    condition=TENANT,
    variables=(
        ("changed", "request.operation == 'UPDATE'"),
        ("labels", labels("object")),
        ("before", f"request.operation == 'UPDATE' ? ({labels('oldObject')}) : {{}}"),
        ("queue", f"variables.labels[?'{QUEUE_LABEL}'].orValue('')"),
    ),
    checks=(
        Check(
            f"carries the label `{QUEUE_LABEL}`, and keeps it",
            f"variables.queue != ''"
            f" || (variables.changed && variables.before[?'{QUEUE_LABEL}'].orValue('') == '')",
            Cel(
                f"'a task needs the label {QUEUE_LABEL}: ' + request.namespace + '-localqueue'"
                " + (object.kind in ['Job', 'Pod'] ? '' : ', in its pod template if it has one')"
            ),
        ),
        Check(
            "gives itself no owner: Kueue and SageMaker leave alone what a task of theirs owns",
            f"object.{_OWNERS}.all(o, variables.changed && oldObject.{_OWNERS}.exists(p, p == o))",
            "a task may not name an owner: remove metadata.ownerReferences",
        ),
        Check(
            "is started by Kueue, not by hand",
            "!variables.changed || object.kind.endsWith('CronJob')"
            f" || !{_suspended('oldObject')} || {_suspended('object')}",
            "Kueue starts a suspended task when the queue admits it: leave suspend as it is",
        ),
        Check(
            "keeps Kueue's scheduling gates",
            "!variables.changed || object.kind != 'Pod'"
            " || oldObject.spec.?schedulingGates.orValue([]).all(g,"
            " !g.name.startsWith('kueue.x-k8s.io/')"
            " || object.spec.?schedulingGates.orValue([]).exists(h, h.name == g.name))",
            "Kueue takes its scheduling gates off when the queue admits the pod: leave them",
        ),
        Check(
            "takes no Workload that was made for another task",
            f"[{_MARKS}].all(m, !('{PREBUILT_LABEL}' in m))",
            f"a task may not choose its Workload: remove {PREBUILT_LABEL}",
        ),
    ),
)
