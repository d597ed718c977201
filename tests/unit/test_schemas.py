"""The published JSON Schemas are those of the models, and every field says what it means."""

import json
from collections.abc import Iterator
from typing import Any

from cli.schemas import FOLDER, schemas


def test_the_published_schemas_are_those_of_the_models() -> None:
    for name, text in schemas().items():
        assert FOLDER.joinpath(name).read_text() == text, f"{name} is old; run: make schemas"


def test_every_field_has_a_description() -> None:
    for text in schemas().values():
        for name, field in _fields(json.loads(text)):
            assert len(field.get("description", "")) > 10, name


def _fields(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for part in [schema, *schema.get("$defs", {}).values()]:
        yield from part.get("properties", {}).items()
