"""Which paths of a node a team may be given to mount, and why not the others."""

import re

_LONGEST = 256
_WORDS = re.compile(r"(/[A-Za-z0-9._-]+)+", re.ASCII)
# whoever may write there owns the node, or sees what others do on it
_NODE = {
    "/boot": "starts the node",
    "/etc": "holds the node's settings and credentials",
    "/proc": "shows every process of the node",
    "/sys": "sets the node's kernel and devices",
    "/root": "is the home of the node's administrator",
    "/home": "holds the homes of the node's users",
    "/run": "holds the sockets of the container runtime and the kubelet",
    "/var/run": "holds the sockets of the container runtime and the kubelet",
    "/var/lib": "holds the kubelet, its tokens and every pod's volumes",
    "/var/log": "lets read any file of the node through the kubelet's logs",
    "/usr": "holds the node's programs",
    "/bin": "holds the node's programs",
    "/sbin": "holds the node's programs",
    "/lib": "holds the node's programs",
    "/lib64": "holds the node's programs",
    "/opt": "holds the programs with which SageMaker runs the node",
    "/dev": "holds the node's disks and devices",
}
# devices of memory and network, which containers share safely
_DEVICES = (
    "/dev/shm",  # noqa: S108 - a path of a node, not of this machine
    "/dev/infiniband",
    "/dev/hugepages",
)


def fault_of(path: str) -> str | None:
    """What is wrong with a path of an allow-list; None if it may stand there."""
    if path == "/":
        return "must not be /: that is the whole node"
    if len(path) > _LONGEST or not _WORDS.fullmatch(path) or {".", ".."} & {*path.split("/")}:
        return (
            "must be an absolute path of letters, digits, dots, hyphens and underscores, without "
            f"a slash at its end, without . and .., of at most {_LONGEST} characters"
        )
    if path in _DEVICES:
        return None
    for node, reason in _NODE.items():
        if _within(path, node) or _within(node, path):
            return f"must not be {path}: {node} {reason}"
    return None


def nested(paths: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Number of each path that lies in another of the list, with that other.

    Who may write to the outer one could put a link to anywhere in place of the inner one.
    """
    return [
        (index, outer)
        for index, inner in paths
        for _, outer in paths
        if inner != outer and _within(inner, outer)
    ]


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
