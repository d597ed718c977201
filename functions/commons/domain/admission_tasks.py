"""What the policies know about tasks: their kinds, and where each keeps labels and its pod."""

from commons.domain import rbac
from commons.domain.admission_policy import Rule, rule

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
PREBUILT_LABEL = "kueue.x-k8s.io/prebuilt-workload-name"

_MAKES = ("CREATE", "UPDATE")
_SPACES_AND_MORE = (
    "sagemaker.amazonaws.com",
    "kubeflow.org",
    "ray.io",
    rbac.INFERENCE,
)
# kinds whose pods come from a template that is seen here, the last three from an administrator's
# grant only
WITH_TEMPLATE = (
    "Job",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "ReplicaSet",
    "ReplicationController",
)
# pods of these get their labels from the template alone
_LABELLED_BY_TEMPLATE = WITH_TEMPLATE[1:]

CORE: tuple[Rule, ...] = (
    rule("batch", ("jobs", "cronjobs"), _MAKES),
    rule("apps", ("deployments", "statefulsets", "daemonsets", "replicasets"), _MAKES),
    rule("", ("replicationcontrollers",), _MAKES),
)
TASKS: tuple[Rule, ...] = (
    rule("", ("pods",), _MAKES),
    *CORE,
    *(
        rule(line.group, line.resources, _MAKES)
        for line in rbac.TABLE
        if line.group in (*_SPACES_AND_MORE, rbac.SPACES) and "create" in line.member
    ),
)


def labels(task: str) -> str:
    """CEL: the labels by which Kueue sees a task (or the pods that it makes)."""
    return (
        f"{task}.kind == 'CronJob' ? {task}.spec.jobTemplate.?metadata.?labels.orValue({{}})"
        f" : {task}.kind in {cel(_LABELLED_BY_TEMPLATE)}"
        f" ? {task}.spec.template.?metadata.?labels.orValue({{}})"
        f" : {task}.metadata.?labels.orValue({{}})"
    )


# CEL: the pod of a pod, or of a task with a template; nothing for other tasks, whose pods are
# judged when their operator makes them
POD = (
    "object.kind == 'Pod' ? object.spec"
    " : object.kind == 'CronJob' ? object.spec.jobTemplate.spec.template.spec"
    f" : object.kind in [{', '.join(repr(kind) for kind in WITH_TEMPLATE)}]"
    " ? object.spec.template.spec : {}"
)


def cel(words: tuple[str, ...]) -> str:
    """A list of texts, as CEL writes it."""
    return f"[{', '.join(repr(word) for word in words)}]"
