"""Getting out of a pod onto its node, or onto others' machines."""

from typing import Any

from tests.cluster.isolation.company import AMBER, COAST, HOST_PATH
from tests.cluster.isolation.escapes.attempt import Call, at, get, patch, post, stopped, thing
from tests.cluster.isolation.escapes.tasks import cron_job, job, of_template, pod, volume

_PODS = at(AMBER, "pods")
_NODE = "/api/v1/nodes/hyperpod-i-0"
_DISK = {"hostPath": {"path": "/"}}
_PRIVILEGED = {"securityContext": {"privileged": True}}


def _path(path: str) -> Call:
    return _pod(volumes=[{"name": "it", "hostPath": {"path": path}}])


def _pod(container: dict[str, Any] | None = None, **more: Any) -> Call:
    return post(_PODS, pod(container, **more))


def _secured(**context: Any) -> Call:
    return _pod({"securityContext": context})


ATTEMPTS = (
    *stopped(
        "commons-pods",
        "amber member",
        ("host-root", "mount the whole node", _path("/")),
        ("host-slashes", "mount it under another spelling", _path("//")),
        ("host-dot", "mount it under one more", _path(f"{HOST_PATH}/.")),
        (
            "host-below",
            "mount what lies below a path of the namespace's list",
            _path(f"{HOST_PATH}/others"),
        ),
        ("host-alike", "mount a path that begins like one of the list", _path(f"{HOST_PATH}0")),
        ("host-above", "mount what lies above a path of the list", _path("/mnt/k8s-disks")),
        (
            "host-socket",
            "mount the socket of the container runtime",
            _path("/run/containerd/containerd.sock"),
        ),
        (
            "host-in-job",
            "mount the node from a Job",
            post(at(AMBER, "jobs.batch/v1"), job(**volume(**_DISK))),
        ),
        (
            "host-in-cron-job",
            "mount the node from a CronJob",
            post(at(AMBER, "cronjobs.batch/v1"), cron_job(**volume(**_DISK))),
        ),
        (
            "host-in-deployment",
            "mount the node from a Deployment",
            post(at(AMBER, "deployments.apps/v1"), of_template("Deployment", **volume(**_DISK))),
        ),
        (
            "host-in-stateful-set",
            "mount the node from a StatefulSet",
            post(at(AMBER, "statefulsets.apps/v1"), of_template("StatefulSet", **volume(**_DISK))),
        ),
        (
            "foreign-server",
            "mount a file server that they name themselves, past the claims",
            _pod(**volume(nfs={"server": "10.0.0.9", "path": "/"})),
        ),
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
            "have an operator make a privileged pod of what they wrote",
            post(at(COAST, "pods"), pod(_PRIVILEGED, labels={})),
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
        ("host-dots", "mount the node with dots in the path", _path(f"{HOST_PATH}/../..")),
    ),
    *stopped(
        "roles",
        "amber lead",
        (
            "host-volume",
            "make a PersistentVolume of the node's disk",
            post("/api/v1/persistentvolumes", thing("v1", "PersistentVolume", spec=_DISK)),
        ),
        ("kubelet", "reach a node's kubelet through the server", get(f"{_NODE}/proxy/pods")),
        (
            "node-status",
            "give a node more GPUs",
            patch(f"{_NODE}/status", {"status": {"capacity": {"nvidia.com/gpu": "99"}}}),
        ),
    ),
)
