"""No task of a tenant passes the queue by."""

from commons.domain.admission_policy import TENANT, Cel, Check, Policy
from commons.domain.admission_tasks import PREBUILT_LABEL, QUEUE_LABEL, TASKS, labels

_KUEUE = "kueue.x-k8s.io/"
_OWNERS = "metadata.?ownerReferences.orValue([])"
_GATES = "spec.?schedulingGates.orValue([])"
_FINALIZERS = "metadata.?finalizers.orValue([])"
_LABELS = "metadata.?labels.orValue({})"

# Kueue reads it from a label or an annotation; Jobs and pods may get theirs from a template
_MARKS = ", ".join(
    f"object.?{place}.?{marks}.orValue({{}})"
    for place in ("metadata", "spec.?jobTemplate.?metadata", "spec.?template.?metadata")
    for marks in ("labels", "annotations")
)

# what Kueue knows a pod by and holds it with, in every place where it puts something
_KEPT = " && ".join(
    (
        f"oldObject.{_GATES}.all(g, !g.name.startsWith('{_KUEUE}')"
        f" || object.{_GATES}.exists(h, h.name == g.name))",
        f"oldObject.{_FINALIZERS}.all(f, !f.startsWith('{_KUEUE}') || f in object.{_FINALIZERS})",
        f"oldObject.{_LABELS}.all(k, !k.startsWith('{_KUEUE}')"
        f" || object.{_LABELS}[?k].orValue('') == oldObject.{_LABELS}[k])",
    )
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
            "keeps what Kueue has put on a pod: scheduling gates, finalizers, labels",
            f"!variables.changed || object.kind != 'Pod' || ({_KEPT})",
            "Kueue takes its scheduling gates, finalizers and labels off a pod itself: leave them",
        ),
        Check(
            "takes no Workload that was made for another task",
            f"[{_MARKS}].all(m, !('{PREBUILT_LABEL}' in m))",
            f"a task may not choose its Workload: remove {PREBUILT_LABEL}",
        ),
    ),
)
