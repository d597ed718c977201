"""A worker dies in the middle of a reconcile: its step is tried again, and the team is ready."""

import os
import signal
import threading
from pathlib import Path

from tests.stories.company import everybody, join, make_team, register_cluster
from tests.stories.conftest import Cloud


def test_killing_workers_in_the_middle_of_a_reconcile_still_ends_in_ready(
    cloud: Cloud, tmp_path: Path
) -> None:
    register_cluster(cloud)
    over = threading.Event()
    killed: list[int] = []

    def kill() -> None:
        while not over.wait(1.0) and len(killed) < 6:
            for pid in cloud.workers("Reconcile")[:1] + cloud.workers("RecordOutcome")[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        make_team(cloud, tmp_path, "gasket")
        join(cloud, "gpu-gasket", "kim@gasket.example")
        cloud.wait()
    finally:
        over.set()
        killer.join()
    cloud.wait()
    assert killed
    assert cloud.commons("team", "show", "gasket")["phase"] == "Ready"
    assert "commons:gasket:kim-gasket.example" in everybody(cloud, "hyperpod-ns-gasket")
