"""What `commons local up` started, as recorded in state.json."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from local.processes import Process, alive
from local.settings import Kubernetes, Ports, home


class NotRunning(Exception):
    """There is no local cloud that was started here."""


class State(BaseModel):
    """Ports, processes by part, the base fixtures that exist, and what was asked for.

    `nodes`: how many machines of which instance type.
    """

    model_config = ConfigDict(frozen=True)

    ports: Ports
    parts: dict[str, Process]
    fixtures: dict[str, str] = Field(default_factory=dict)
    kubernetes: Kubernetes = "embedded"
    nodes: dict[str, int] = Field(default_factory=dict)


def path(folder: Path | None = None) -> Path:
    """Where the state is recorded."""
    return (folder or home()) / "state.json"


def read(folder: Path | None = None) -> State | None:
    """The recorded state, None if there is none."""
    recorded = path(folder)
    return State.model_validate_json(recorded.read_text()) if recorded.exists() else None


def write(state: State, folder: Path) -> None:
    """Record the state; readers see the old or the new, never half of it."""
    fresh = path(folder).with_suffix(".new")
    fresh.write_text(state.model_dump_json(indent=2))
    fresh.replace(path(folder))


def running(folder: Path | None = None) -> State:
    """The state of a local cloud that runs whole; raises NotRunning."""
    state = read(folder)
    if state is None:
        raise NotRunning("no local cloud runs here: commons local up")
    dead = [name for name, process in state.parts.items() if not alive(process)]
    if dead:
        raise NotRunning(f"ended by itself: {', '.join(dead)} (commons local status tells why)")
    return state
