"""Logs hold ids and counts: nobody's name or address, whatever happens to them."""

import json
import re
from pathlib import Path

from local import settings
from tests.stories.company import join, make_team, register_cluster
from tests.stories.conftest import Cloud

# the people of every story have an address like this; in a cluster the @ is written as a hyphen
ADDRESS = re.compile(r"[\w.+]+[@-][\w-]+\.example")
GROUP = "gpu-orchard"
ZOE, YAN = "zoe.quince@orchard.example", "yan.medlar@orchard.example"


def test_no_function_logs_the_name_of_anybody(cloud: Cloud, tmp_path: Path) -> None:
    register_cluster(cloud)
    make_team(cloud, tmp_path, "orchard")
    join(cloud, GROUP, ZOE, YAN)
    cloud.wait()
    cloud.commons("directory", "disable-user", ZOE)
    cloud.commons("directory", "remove-member", GROUP, YAN)
    cloud.deliver(_event_with_a_name(tmp_path))
    cloud.wait()

    refused = json.loads(cloud.run("doctor", "--json").stdout)["refused"]
    assert any(reason.startswith("attempt:") for each in refused for reason in each["reasons"])
    logs = sorted(cloud.home.joinpath("logs", "functions").iterdir())
    assert any(
        "ReconcileMembers" in log.name and "members are known" in log.read_text() for log in logs
    )
    found = {log.name: sorted(set(ADDRESS.findall(log.read_text()))) for log in logs}
    assert {name: people for name, people in found.items() if people} == {}


def _event_with_a_name(folder: Path) -> Path:
    """From a foreign tool: it is refused, and what stood there is nobody's business."""
    event = json.loads((settings.CHECKOUT / "events" / "task_admitted.json").read_text())
    event["id"] = "0c1d7a52-6a0e-4d0e-9d2b-5f1e6a7b8c90"
    event["detail"]["attempt"] = ZOE
    file = folder / "event.json"
    file.write_text(json.dumps(event))
    return file
