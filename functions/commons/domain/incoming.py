"""Reads the JSON of a message. Whoever may put an event on the bus may put anything into it.

What would fail for ever inside a function is refused here once: text that is no JSON, brackets a
thousand deep, half a character, which no store takes.
"""

import json
from typing import Any

from pydantic import BaseModel, ValidationError

from commons.domain.errors import RefusedInput
from commons.domain.faults import faults_of

# AWS's own events are not six deep
DEEPEST = 50


def read_message[Model: BaseModel](model: type[Model], name: str, body: str) -> Model:
    """Raises RefusedInput, with every fault, for the message `name` if it is none of `model`."""
    try:
        return model.model_validate(read_json(body))
    except ValidationError as error:
        raise RefusedInput(name, [fault.at(None) for fault in faults_of(error)]) from error
    except ValueError as error:
        raise RefusedInput(name, [str(error)]) from error


def read_json(body: str) -> Any:
    """Plain values. Raises ValueError with what is wrong."""
    try:
        value = json.loads(body)
    except RecursionError as error:
        raise ValueError("is nested too deep") from error
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from error
    _check(value, DEEPEST)
    return value


def _check(value: Any, levels: int) -> None:
    if levels == 0:
        raise ValueError(f"is nested more than {DEEPEST} deep")
    match value:
        case str():
            _check_text(value)
        case dict():
            for key, inner in value.items():
                _check_text(key)
                _check(inner, levels - 1)
        case list():
            for inner in value:
                _check(inner, levels - 1)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("holds half a character (a lone surrogate)") from error
