"""Delivers event files to the gateway, each event as it is in its file."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from local.settings import Ports


class Delivered(BaseModel):
    """What became of one event of a file."""

    model_config = ConfigDict(frozen=True)

    file: str
    id: str | None = None
    source: str | None = None
    detail_type: str | None = None
    outcome: str  # delivered | out of scope | refused
    rules: list[str] = []
    reason: str | None = None


def deliver_file(path: Path, ports: Ports) -> Iterator[Delivered]:
    """Deliver a file that holds one event or a list of them; a wrong one is refused by name."""
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        yield Delivered(file=str(path), outcome="refused", reason=f"cannot be read: {error}")
        return
    events = content if isinstance(content, list) else [content]
    if not events:
        yield Delivered(file=str(path), outcome="refused", reason="holds no event")
    for number, event in enumerate(events):
        name = f"{path}[{number}]" if isinstance(content, list) else str(path)
        yield _deliver(name, event, ports)


def _deliver(name: str, event: Any, ports: Ports) -> Delivered:
    request = urllib.request.Request(
        f"http://127.0.0.1:{ports.events}/", json.dumps(event).encode(), method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            rules = json.load(answer)["rules"]
    except urllib.error.HTTPError as error:
        if error.code != 400:
            raise
        faults = "; ".join(json.load(error)["faults"])
        return Delivered(file=name, outcome="refused", reason=f"no EventBridge event: {faults}")
    return Delivered(
        file=name,
        id=event["id"],
        source=event["source"],
        detail_type=event["detail-type"],
        outcome="delivered" if rules else "out of scope",
        rules=rules,
    )
