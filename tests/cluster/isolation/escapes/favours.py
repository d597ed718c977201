"""Using what an administrator gave by hand."""

from tests.cluster.isolation.company import AMBER
from tests.cluster.isolation.escapes.attempt import (
    KUEUE,
    at,
    get,
    post,
    stopped,
    thing,
)

ATTEMPTS = (
    *stopped(
        "commons-guard",
        "cobalt guest",
        (
            "guest-writes",
            "write here as a person of another team",
            post(at(AMBER, "configmaps"), thing("v1", "ConfigMap")),
        ),
        (
            "guest-shell",
            "open a shell here, with the same favour",
            post(at(AMBER, "pods", "waiting/exec?command=sh"), None),
        ),
    ),
    *stopped(
        "commons-cluster",
        "amber favourite",
        (
            "priority-class-by-favour",
            "make a priority class of their own",
            post(
                f"/apis/{KUEUE}/workloadpriorityclasses",
                thing(KUEUE, "WorkloadPriorityClass", value=1000),
            ),
        ),
        (
            "kubelet-by-favour",
            "reach a node's kubelet through the server",
            get("/api/v1/nodes/any/proxy/pods"),
        ),
    ),
)
