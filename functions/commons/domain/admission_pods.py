"""The Pod Security level `baseline`, restated with an allow-list of host paths.

The level itself knows no allow-list, and refuses most samples that AWS publishes. Three things
are stricter here: volumes of a server that the pod names itself, a node chosen by hand, and the
level's own newer rules on every Kubernetes.
"""

from commons.domain.admission_parameters import HOST_PATHS
from commons.domain.admission_policy import TENANT, Cel, Check, Policy, rule
from commons.domain.admission_tasks import CORE, POD, cel

# the level's list, and IPC_LOCK: without it RDMA (EFA, InfiniBand) cannot pin memory
CAPABILITIES = (
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "IPC_LOCK",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
)
SYSCTLS = (
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_wmem",
)
VOLUMES = (
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "hostPath",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
)
_SELINUX = ("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t")
_PATHS = f"namespaceObject.metadata.?annotations[?'{HOST_PATHS}'].orValue('').split(',')"


def _every(text: str) -> str:
    return f"variables.containers.all(c, {text})"


def _context(text: str) -> str:
    """Of the pod and of each container."""
    return f"variables.contexts.all(c, {text})"


def _host(handler: str) -> str:
    fields = (f"{handler}.?httpGet.?host", f"{handler}.?tcpSocket.?host")
    return " && ".join(f"{field}.orValue('') == ''" for field in fields)


POLICY = Policy(
    name="commons-pods",
    whom="new pods from anybody; tasks of tenants by their pod template",
    rules=(
        rule("", ("pods",), ("CREATE",)),
        rule("", ("pods/ephemeralcontainers",), ("UPDATE",)),
        *CORE,
    ),
    condition=f"request.resource.resource == 'pods' || {TENANT}",
    variables=(
        ("pod", POD),
        (
            "containers",
            "variables.pod.?containers.orValue([]) + variables.pod.?initContainers.orValue([])"
            " + variables.pod.?ephemeralContainers.orValue([])",
        ),
        (
            "contexts",
            "[variables.pod.?securityContext.orValue({})]"
            " + variables.containers.map(c, c.?securityContext.orValue({}))",
        ),
        ("volumes", "variables.pod.?volumes.orValue([])"),
        ("paths", _PATHS),
    ),
    checks=(
        Check(
            "mounts no path of the node but one of the namespace's list, and that exactly",
            "variables.volumes.all(v, !has(v.hostPath) || v.hostPath.path in variables.paths)",
            Cel(
                "'host paths: ' + variables.volumes.filter(v, has(v.hostPath)"
                " && !(v.hostPath.path in variables.paths)).map(v, v.hostPath.path).join(', ')"
                " + ' may not be mounted here (allowed: '"
                " + (variables.paths == [''] ? 'none' : variables.paths.join(', '))"
                " + '); for /dev/shm use emptyDir: {medium: Memory}, for data a"
                " PersistentVolumeClaim, below an allowed path subPath'"
            ),
        ),
        Check(
            "names no server of its own in a volume (`nfs`, `iscsi`, ...)",
            f"variables.volumes.all(v, v.all(k, k == 'name' || k in {cel(VOLUMES)}))",
            "volumes name no server here: use a PersistentVolumeClaim",
        ),
        Check(
            # a HostProcess of Windows is refused with it: Kubernetes demands hostNetwork for it
            "does not share the node's network, processes or memory",
            " && ".join(
                f"!variables.pod.?{field}.orValue(false)"
                for field in ("hostNetwork", "hostPID", "hostIPC")
            ),
            "hostNetwork, hostPID and hostIPC are not allowed: remove them",
        ),
        Check(
            "is not privileged",
            _every("!c.?securityContext.?privileged.orValue(false)"),
            "privileged containers are not allowed: EFA and GPUs come by resources.limits",
        ),
        Check(
            "adds no capability beyond the level's, save `IPC_LOCK`",
            _every(
                "c.?securityContext.?capabilities.?add.orValue([])"
                f".all(a, a in {cel(CAPABILITIES)})"
            ),
            "only these capabilities may be added: " + ", ".join(CAPABILITIES),
        ),
        Check(
            "opens no port of the node",
            _every("c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0)"),
            "hostPort is not allowed: use a Service",
        ),
        Check(
            "keeps the default masks on /proc",
            _every("c.?securityContext.?procMount.orValue('Default') == 'Default'"),
            "procMount must be Default",
        ),
        Check(
            "sets safe sysctls only",
            f"variables.pod.?securityContext.?sysctls.orValue([]).all(s, s.name in {cel(SYSCTLS)})",
            "only these sysctls may be set: " + ", ".join(SYSCTLS),
        ),
        Check(
            "keeps seccomp on",
            _context("c.?seccompProfile.?type.orValue('') != 'Unconfined'"),
            "seccompProfile must not be Unconfined: remove it",
        ),
        Check(
            "keeps AppArmor on",
            # Kubernetes writes the older annotation of a pod into this field before it is judged
            _context("c.?appArmorProfile.?type.orValue('') != 'Unconfined'"),
            "the AppArmor profile must not be unconfined: remove it",
        ),
        Check(
            "takes no SELinux user, role or foreign type",
            _context(
                f"c.?seLinuxOptions.?type.orValue('') in {cel(_SELINUX)}"
                " && c.?seLinuxOptions.?user.orValue('') == ''"
                " && c.?seLinuxOptions.?role.orValue('') == ''"
            ),
            "seLinuxOptions may only have a type of containers: remove them",
        ),
        Check(
            "lets the node probe nothing but the pod itself",
            _every(
                "[c.?livenessProbe, c.?readinessProbe, c.?startupProbe,"
                " c.?lifecycle.?postStart, c.?lifecycle.?preStop]"
                f".all(p, {_host('p')})"
            ),
            "probes and lifecycle hooks may not name a host: the pod itself is asked",
        ),
        Check(
            "does not choose its node past the scheduler",
            "request.?subResource.orValue('') != '' || variables.pod.?nodeName.orValue('') == ''",
            "nodeName goes past the scheduler: use nodeSelector",
        ),
    ),
)
