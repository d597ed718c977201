"""Whatever a message holds, it is read or refused by name: nothing else comes out of a reader."""

import copy
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain import directory_events, execution_ends, task_events, uploads
from commons.domain.errors import RefusedInput
from commons.domain.incoming import DEEPEST

EVENTS = Path(__file__).parents[2] / "events"
NOW = datetime(2026, 12, 1, tzinfo=UTC)
Reader = Callable[[str, str], Any]


def task_event(name: str, body: str) -> Any:
    return task_events.read(name, body, NOW)


# each reader with an event that it takes
READERS: dict[str, tuple[Reader, str]] = {
    "upload": (uploads.read_upload, "team_document_uploaded"),
    "directory": (directory_events.read_directory_event, "user_added_to_group"),
    "task": (task_event, "task_admitted"),
}
ENDED = {"detail": {"executionArn": "arn:x", "status": "FAILED", "input": '{"team": "vision"}'}}
HOSTILE = {
    "nothing": "",
    "a list a hundred thousand deep": "[" * 100_000 + "]" * 100_000,
    "an object far too deep": '{"a":' * 20_000 + "1" + "}" * 20_000,
    "one level too many": "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
    "half a character": r'{"detail": {"eventSource": "\ud800", "eventName": "x"}}',
    "half a character in a key": r'{"\udfff": 1}',
    "a number of 5,000 digits": "9" * 5_000,
    "no number": "NaN",
    "cut in the middle": '{"detail": {"eventSou',
    "two documents": "{} {}",
}


def sample(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(EVENTS.joinpath(f"{name}.json").read_text())
    return found


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("reader", READERS)
def test_a_hostile_message_is_refused_by_name(reader: str, hostile: str) -> None:
    read, _ = READERS[reader]
    with pytest.raises(RefusedInput, match="message 1"):
        read("message 1", HOSTILE[hostile])


def test_the_input_of_an_execution_may_not_be_too_deep_either() -> None:
    deep = copy.deepcopy(ENDED)
    deep["detail"]["input"] = "[" * 100_000
    with pytest.raises(RefusedInput, match="too deep"):
        execution_ends.read_execution_end("message 1", json.dumps(deep))


@pytest.mark.parametrize(
    "team", ["", "../vision", "vision#MEMBER", "Vision", "v" * 41, "a b", None]
)
def test_a_team_that_is_no_slug_becomes_no_key(team: Any) -> None:
    ended = copy.deepcopy(ENDED)
    ended["detail"]["input"] = json.dumps({"team": team})
    with pytest.raises(RefusedInput, match="team"):
        execution_ends.read_execution_end("message 1", json.dumps(ended))


@pytest.mark.parametrize(
    "identity",
    [
        "*",
        "' OR 1=1",
        "../5478a1c0-7021-70b4-2d6f-0c11e0a40001",
        "5478a1c0-7021-70b4-2d6f-0c11e0a40001#TEAM",
        "5478a1c0-7021-70b4-2d6f-0c11e0a40001\n",
        "x" * 3_000,
        "５４７８a1c0-7021-70b4-2d6f-0c11e0a40001",
    ],
)
@pytest.mark.parametrize("name", ["user_added_to_group", "user_deleted", "group_created"])
def test_what_has_no_form_of_an_id_becomes_neither_a_key_nor_a_call(
    name: str, identity: str
) -> None:
    event = sample(name)
    event["detail"]["requestParameters"] = {"id": identity, "groupId": identity, "userId": identity}
    event["detail"]["responseElements"] = None
    read = directory_events.read_directory_event("message 1", json.dumps(event))
    found = directory_events.subject_of(read, "d-9067a1b2c3", "gpu-commons-")
    assert found == directory_events.OutOfScope(reason="no_subject")


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None, categories=["L", "N", "C", "Z", "P"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    steps = value.items() if isinstance(value, dict) else ()
    for key, inner in steps:
        yield from _places(inner, (*path, key))


def _with(event: dict[str, Any], path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(event)
    place = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return changed


@pytest.mark.parametrize("reader", READERS)
@given(data=st.data())
def test_any_value_in_any_place_of_an_event_is_read_or_refused(
    reader: str, data: st.DataObject
) -> None:
    read, name = READERS[reader]
    event = sample(name)
    path = data.draw(st.sampled_from(list(_places(event))))
    try:
        found = read("message 1", json.dumps(_with(event, path, data.draw(ANYTHING))))
    except RefusedInput:
        return
    found.model_dump_json().encode()
