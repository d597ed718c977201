"""Writing what is the queue's: admissions, quotas, placements."""

from tests.cluster.isolation.company import AMBER
from tests.cluster.isolation.escapes.attempt import KUEUE, at, delete, patch, post, stopped, thing
from tests.cluster.isolation.escapes.tasks import (
    MUCH,
)

_PODS = at(AMBER, "pods")
_JOBS = at(AMBER, "jobs.batch/v1")
_QUEUES = at(AMBER, f"localqueues.{KUEUE}")
# Kueue's name of it is made at random
_WAITING = at(AMBER, f"workloads.{KUEUE}", "{workload}")
_GROWN = {
    "spec": {"containers": [{"name": "main", "image": "image", "resources": MUCH}]},
}
_ADMITTED = {
    "status": {
        "admission": {"clusterQueue": f"{AMBER}-clusterqueue", "podSetAssignments": []},
    }
}


ATTEMPTS = (
    *stopped(
        "roles",
        "amber lead",
        (
            "forge-admission",
            "write the queue's admission into their Workload's status",
            patch(f"{_WAITING}/status", _ADMITTED),
        ),
        (
            "raise-workload",
            "raise the priority of their Workload",
            patch(_WAITING, {"spec": {"priority": 1000}}),
        ),
        ("stop-workload", "deactivate a Workload", patch(_WAITING, {"spec": {"active": False}})),
        (
            "own-queue",
            "make a LocalQueue that draws on another team's quota",
            post(
                _QUEUES,
                thing(
                    KUEUE, "LocalQueue", spec={"clusterQueue": "hyperpod-ns-cobalt-clusterqueue"}
                ),
            ),
        ),
        (
            "other-quota",
            "point their LocalQueue at another team's quota",
            patch(
                f"{_QUEUES}/{AMBER}-localqueue",
                {"spec": {"clusterQueue": "hyperpod-ns-cobalt-clusterqueue"}},
            ),
        ),
        (
            "more-quota",
            "raise the quota in their ClusterQueue",
            patch(
                f"/apis/{KUEUE}/clusterqueues/{AMBER}-clusterqueue",
                {"spec": {"resourceGroups": []}},
            ),
        ),
        (
            "new-priority",
            "make a priority class of their own",
            post(
                f"/apis/{KUEUE}/workloadpriorityclasses",
                thing(KUEUE, "WorkloadPriorityClass", value=1000),
            ),
        ),
        (
            "gate-off-by-role",
            "take Kueue's gate off a pod that waits",
            patch(f"{_PODS}/waiting", {"spec": {"schedulingGates": []}}),
        ),
        (
            "bind-by-role",
            "put a pod onto a node themselves",
            post(
                f"{_PODS}/waiting/binding",
                thing("v1", "Binding", "waiting", target={"name": "hyperpod-i-0"}),
            ),
        ),
        ("grow", "give a running pod more", patch(f"{_PODS}/waiting/resize", _GROWN)),
        (
            "scale-itself",
            "have an autoscaler make more",
            post(
                at(AMBER, "horizontalpodautoscalers.autoscaling/v2"),
                thing("autoscaling/v2", "HorizontalPodAutoscaler"),
            ),
        ),
    ),
    *stopped(
        "commons-guard",
        "amber favourite",
        (
            "forge-admission-by-favour",
            "write the queue's admission into their Workload's status",
            patch(f"{_WAITING}/status", _ADMITTED),
        ),
        (
            "stop-workload-by-favour",
            "deactivate a Workload",
            patch(_WAITING, {"spec": {"active": False}}),
        ),
        (
            "own-queue-by-favour",
            "make a LocalQueue that draws on another team's quota",
            post(
                _QUEUES,
                thing(
                    KUEUE, "LocalQueue", spec={"clusterQueue": "hyperpod-ns-cobalt-clusterqueue"}
                ),
            ),
        ),
        ("end-queue-by-favour", "delete the LocalQueue", delete(f"{_QUEUES}/{AMBER}-localqueue")),
        (
            "bind-by-favour-to-node",
            "put a pod onto a node themselves",
            post(
                f"{_PODS}/waiting/binding",
                thing("v1", "Binding", "waiting", target={"kind": "Node", "name": "hyperpod-i-0"}),
            ),
        ),
        (
            "grow-by-favour",
            "give a running pod more than the queue admitted",
            patch(f"{_PODS}/waiting/resize", _GROWN),
        ),
        (
            "job-status-by-favour",
            "write a Job's status",
            patch(f"{_JOBS}/waiting/status", {"status": {"terminating": 0}}),
        ),
    ),
)
