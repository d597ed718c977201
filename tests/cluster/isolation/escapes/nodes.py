"""Getting out of a pod onto its node, or onto others' machines."""

from typing import Any

from tests.cluster.isolation.company import AMBER, COAST
from tests.cluster.isolation.escapes.attempt import (
    STRATEGIC,
    Call,
    at,
    get,
    patch,
    post,
    stopped,
)
from tests.cluster.isolation.escapes.tasks import job, of_template, pod

_PODS = at(AMBER, "pods")
_NODE = "/api/v1/nodes/hyperpod-i-0"
_PRIVILEGED = {"securityContext": {"privileged": True}}


def _pod(container: dict[str, Any] | None = None, **more: Any) -> Call:
    return post(_PODS, pod(container, **more))


def _secured(**context: Any) -> Call:
    return _pod({"securityContext": context})


ATTEMPTS = (
    *stopped(
        "commons-pods",
        "amber member",
        (
            "host-network",
            "share the node's network, where its credentials are",
            _pod(hostNetwork=True),
        ),
        ("host-processes", "see the processes of the node", _pod(hostPID=True)),
        ("host-memory", "share the node's memory segments", _pod(hostIPC=True)),
        ("privileged", "run a privileged container", _secured(privileged=True)),
        (
            "privileged-first",
            "run a privileged container before the main one",
            _pod(initContainers=[{"name": "a", "image": "image", **_PRIVILEGED}]),
        ),
        (
            "capabilities",
            "add the capability SYS_ADMIN",
            _secured(capabilities={"add": ["SYS_ADMIN"]}),
        ),
        ("all-capabilities", "add all capabilities", _secured(capabilities={"add": ["ALL"]})),
        (
            "host-port",
            "open a port of the node",
            _pod({"ports": [{"containerPort": 80, "hostPort": 80}]}),
        ),
        (
            "proc-mount",
            "take the masks off /proc",
            _pod({"securityContext": {"procMount": "Unmasked"}}, hostUsers=False),
        ),
        (
            "sysctls",
            "change the node's kernel settings",
            _pod(securityContext={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}),
        ),
        (
            "seccomp",
            "switch the filter of system calls off",
            _secured(seccompProfile={"type": "Unconfined"}),
        ),
        ("apparmor", "switch AppArmor off", _secured(appArmorProfile={"type": "Unconfined"})),
        (
            "selinux",
            "take the SELinux type of the node's own programs",
            _secured(seLinuxOptions={"type": "spc_t"}),
        ),
        (
            "probe",
            "let the kubelet call an address of their choice",
            _pod({"livenessProbe": {"httpGet": {"host": "169.254.169.254", "port": 80}}}),
        ),
        (
            "node-name-in-job",
            "name the node in a Job, past the scheduler",
            post(at(AMBER, "jobs.batch/v1"), job(nodeName="hyperpod-i-0")),
        ),
    ),
    *stopped(
        "commons-pods",
        "amber favourite",
        (
            "daemon-set",
            "run privileged on every node",
            post(at(AMBER, "daemonsets.apps/v1"), of_template("DaemonSet", container=_PRIVILEGED)),
        ),
        (
            "replica-set",
            "run privileged in a ReplicaSet",
            post(
                at(AMBER, "replicasets.apps/v1"), of_template("ReplicaSet", container=_PRIVILEGED)
            ),
        ),
        (
            "replication-controller",
            "run privileged in a ReplicationController",
            post(
                at(AMBER, "replicationcontrollers"),
                of_template("ReplicationController", container=_PRIVILEGED),
            ),
        ),
    ),
    *stopped(
        "commons-pods",
        "amber pod",
        (
            "privileged-by-pod",
            "run a privileged Job",
            post(at(AMBER, "jobs.batch/v1"), job(container=_PRIVILEGED)),
        ),
    ),
    *stopped(
        "commons-pods",
        "administrator",
        (
            "privileged-by-operator",
            "make a privileged pod of what a member wrote",
            post(at(COAST, "pods"), pod(_PRIVILEGED, labels={})),
        ),
    ),
    *stopped(
        "commons-pods",
        "administrator",
        (
            "debug-by-operator",
            "put a privileged ephemeral container into a member's pod",
            Call(
                "PATCH",
                at(AMBER, "pods", "waiting/ephemeralcontainers"),
                {"spec": {"ephemeralContainers": [{"name": "a", "image": "image", **_PRIVILEGED}]}},
                STRATEGIC,
            ),
        ),
    ),
    *stopped(
        "commons-pods",
        "amber member",
        (
            "privileged-later",
            "make the pods of a Deployment privileged that is there already",
            Call(
                "PATCH",
                at(AMBER, "deployments.apps/v1", "service"),
                {"spec": {"template": {"spec": {"containers": [{"name": "main", **_PRIVILEGED}]}}}},
                STRATEGIC,
            ),
        ),
    ),
    *stopped(
        "Kubernetes",
        "amber member",
        (
            "node-name",
            "name the node of a pod, past scheduler and queue",
            _pod(nodeName="hyperpod-i-0"),
        ),
    ),
    *stopped(
        "roles",
        "amber lead",
        ("kubelet", "reach a node's kubelet through the server", get(f"{_NODE}/proxy/pods")),
        (
            "node-status",
            "give a node more GPUs",
            patch(f"{_NODE}/status", {"status": {"capacity": {"nvidia.com/gpu": "99"}}}),
        ),
    ),
)
