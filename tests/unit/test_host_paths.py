"""Which paths of a node a team may be given."""

import pytest

from commons.domain.host_paths import fault_of, nested

SHARED = "/dev/shm"  # noqa: S108 - of a node


@pytest.mark.parametrize(
    "path",
    [
        "/mnt",
        "/mnt/k8s-disks/0",
        "/fsx/teams/vision",
        SHARED,
        "/dev/infiniband",
        "/a..b",
    ],
)
def test_a_path_that_only_holds_data_may_be_given(path: str) -> None:
    assert fault_of(path) is None


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/", "the whole node"),
        ("/etc", "/etc holds the node's settings and credentials"),
        ("/etc/kubernetes", "/etc holds"),
        ("/proc/1/root", "/proc shows"),
        ("/sys", "/sys sets"),
        ("/root", "/root is the home"),
        ("/run/containerd/containerd.sock", "/run holds the sockets"),
        ("/var/run/docker.sock", "/var/run holds the sockets"),
        ("/var/lib/kubelet", "/var/lib holds the kubelet"),
        ("/var", "/var/run holds"),
        ("/var/log", "/var/log lets read any file"),
        ("/usr/bin", "/usr holds the node's programs"),
        ("/opt/ml", "/opt holds"),
        ("/dev", "/dev holds the node's disks"),
        ("/dev/nvme0n1", "/dev holds the node's disks"),
        (f"{SHARED}/x", "/dev holds"),
    ],
)
def test_a_path_that_gives_the_node_away_is_refused_by_name_with_the_reason(
    path: str, reason: str
) -> None:
    assert reason in (fault_of(path) or "")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "mnt",
        "/mnt/",
        "//mnt",
        "/mnt//x",
        "/mnt/../etc",
        "/mnt/..",
        "/./mnt",
        "/mnt,/etc",
        "/mnt\n",
        "/mnt x",
        "/möbel",
        "/" + "a" * 256,
    ],
)
def test_a_path_is_absolute_and_written_in_the_one_way(path: str) -> None:
    assert "must be an absolute path" in (fault_of(path) or "")


def test_a_path_of_somebody_else_is_not_mistaken_for_the_nodes() -> None:
    assert fault_of("/etcetera") is None
    assert fault_of("/variants") is None
    assert fault_of("/device") is None


def test_a_path_inside_another_of_the_list_is_found() -> None:
    paths = [(0, "/mnt/a/b"), (1, "/mnt/a"), (2, "/mnt/ab")]

    assert nested(paths) == [(0, "/mnt/a")]
