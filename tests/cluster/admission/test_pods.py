"""A pod stays in its box, whoever makes it."""

import time
from typing import Any

import pytest

from tests.cluster.admission.api import (
    OTHER,
    STRANGER,
    TENANT,
    WRITER,
    Api,
    allowed,
    refused,
)
from tests.cluster.admission.things import job, pod, volume


def container(**more: Any) -> dict[str, Any]:
    return {"container": more}


def context(**more: Any) -> dict[str, Any]:
    return {"container": {"securityContext": more}}


PROBE = {"httpGet": {"port": 80, "host": "169.254.169.254"}}
SHARED = "/dev/shm"  # noqa: S108 - what most samples mount
BAD_PODS: dict[str, tuple[dict[str, Any], str]] = {
    "host path": (volume(hostPath={"path": SHARED}), "emptyDir: {medium: Memory}"),
    "volume of a server": (volume(nfs={"server": "s", "path": "/"}), "PersistentVolumeClaim"),
    "host network": ({"hostNetwork": True}, "hostNetwork"),
    "host processes": ({"hostPID": True}, "hostPID"),
    "host memory": ({"hostIPC": True}, "hostIPC"),
    "privileged": (context(privileged=True), "privileged"),
    "capability": (context(capabilities={"add": ["SYS_ADMIN"]}), "IPC_LOCK"),
    "every capability": (context(capabilities={"add": ["ALL"]}), "IPC_LOCK"),
    "host port": (container(ports=[{"containerPort": 80, "hostPort": 80}]), "hostPort"),
    "unmasked /proc": ({"hostUsers": False, **context(procMount="Unmasked")}, "procMount"),
    "sysctl": (
        {"securityContext": {"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}},
        "sysctls",
    ),
    "no seccomp": (context(seccompProfile={"type": "Unconfined"}), "seccompProfile"),
    "no seccomp in the pod": (
        {"securityContext": {"seccompProfile": {"type": "Unconfined"}}},
        "seccompProfile",
    ),
    "no AppArmor": (context(appArmorProfile={"type": "Unconfined"}), "AppArmor"),
    "SELinux type": (context(seLinuxOptions={"type": "spc_t"}), "seLinuxOptions"),
    "SELinux user": (context(seLinuxOptions={"user": "system_u"}), "seLinuxOptions"),
    "SELinux role": (context(seLinuxOptions={"role": "system_r"}), "seLinuxOptions"),
    "probe of another host": (container(livenessProbe=PROBE), "may not name a host"),
    "hook to another host": (container(lifecycle={"postStart": PROBE}), "may not name a host"),
}
GOOD_PODS: dict[str, dict[str, Any]] = {
    "memory for /dev/shm": volume(emptyDir={"medium": "Memory"}),
    "claim": volume(persistentVolumeClaim={"claimName": "data"}),
    "own memory for RDMA": context(capabilities={"add": ["IPC_LOCK"], "drop": ["ALL"]}),
    "port": container(ports=[{"containerPort": 80}]),
    "sysctl": {
        "securityContext": {
            "sysctls": [{"name": "net.ipv4.ip_local_port_range", "value": "1024 65535"}]
        }
    },
    "seccomp": context(seccompProfile={"type": "RuntimeDefault"}),
    "AppArmor": context(appArmorProfile={"type": "RuntimeDefault"}),
    "SELinux": context(seLinuxOptions={"type": "container_t", "level": "s0:c1"}),
    "root": context(runAsUser=0, allowPrivilegeEscalation=True),
    "probe": container(livenessProbe={"httpGet": {"port": 80}}),
}


@pytest.mark.parametrize("user", [TENANT, STRANGER, WRITER])
@pytest.mark.parametrize("what", list(BAD_PODS))
def test_a_pod_that_reaches_its_node_is_refused_from_anybody(
    api: Api, what: str, user: str
) -> None:
    fields, word = BAD_PODS[what]

    refused(api.create(pod(**fields), user), "pods", word)


@pytest.mark.parametrize("what", list(GOOD_PODS))
def test_a_pod_that_stays_in_its_box_is_let_by(api: Api, what: str) -> None:
    allowed(api.create(pod(**GOOD_PODS[what]), TENANT))


@pytest.mark.parametrize("what", [name for name in BAD_PODS if name != "unmasked /proc"])
def test_a_tenant_hears_it_when_the_task_is_submitted(api: Api, what: str) -> None:
    fields, word = BAD_PODS[what]

    refused(api.create(job(**fields), TENANT), "pods", word)


def test_the_older_way_to_switch_apparmor_off_is_seen_too(api: Api) -> None:
    made = pod()
    name = "container.apparmor.security.beta.kubernetes.io/main"
    made["metadata"]["annotations"] = {name: "unconfined"}

    refused(api.create(made, TENANT), "pods", "AppArmor")


def test_nobody_chooses_a_node_past_the_scheduler(api: Api) -> None:
    refused(api.create(pod({}, nodeName="node-1"), STRANGER), "pods", "nodeSelector")
    refused(api.create(job(nodeName="node-1"), TENANT), "pods", "nodeSelector")


@pytest.mark.parametrize("where", ["containers", "initContainers"])
def test_no_container_is_forgotten(api: Api, where: str) -> None:
    made = pod()
    more = {"name": "b", "image": "i", "securityContext": {"privileged": True}}
    made["spec"][where] = [*made["spec"].get(where, []), more]

    refused(api.create(made, TENANT), "pods", "privileged")


def test_an_ephemeral_container_is_a_container(api: Api) -> None:
    made = api.made(pod())
    debug = {"name": "d", "image": "i", "securityContext": {"privileged": True}}

    answer = api.patch(
        made, {"spec": {"ephemeralContainers": [debug]}}, STRANGER, "/ephemeralcontainers"
    )
    refused(answer, "pods", "privileged")


def test_what_is_there_already_may_be_changed_and_ended(api: Api) -> None:
    """Kueue's finalizer must come off a pod that was made before the policies were."""
    path = f"/api/v1/namespaces/{OTHER}"
    free = api.call("GET", path).json()
    api.patch(free, {"metadata": {"labels": {"gpu.commons/team": None}}})
    try:
        made = _made_ungoverned(api)
    finally:
        api.patch(free, {"metadata": {"labels": {"gpu.commons/team": "next-door"}}})
    time.sleep(1)

    allowed(api.patch(made, {"metadata": {"labels": {"note": "x"}}}, STRANGER))
    allowed(api.delete(made))


def _made_ungoverned(api: Api) -> Any:
    until = time.monotonic() + 10
    old = pod({}, hostPID=True)
    old["metadata"]["namespace"] = OTHER
    while not (answer := api.create(old, STRANGER, dry=False)).is_success:
        assert time.monotonic() < until, answer.text
        time.sleep(0.2)
    return answer.json()


@pytest.mark.parametrize("user", [TENANT, STRANGER])
def test_the_largest_pod_is_still_judged(api: Api, user: str) -> None:
    """The server gives a policy a budget; a pod of a megabyte must not use it up."""
    ports = [{"containerPort": 1 + n} for n in range(20)]
    context = {"capabilities": {"add": ["CHOWN", "KILL", "SETUID"]}}
    volumes = [{"name": f"v{n}", "emptyDir": {}} for n in range(1000)]
    fields = {"image": "i", "ports": ports, "securityContext": context}
    large = pod(containers=[{"name": f"c{n}", **fields} for n in range(150)], volumes=volumes)

    allowed(api.create(large, user))
