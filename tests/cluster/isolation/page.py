"""docs/isolation.json: what the server said in the run that wrote it, without what changes."""

import json
import os
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[3] / "docs" / "isolation.json"
_REWRITE = os.environ.get("COMMONS_REWRITE") == "isolation"
_HOW = "docs/isolation.json says something else; if this is as it should be: make isolation"


def compare(part: str, said: Any) -> None:
    """Fails where the page differs from what the server said, or writes it where asked to."""
    written = json.loads(PAGE.read_text()) if PAGE.exists() else {}
    if _REWRITE:
        PAGE.write_text(_text({**written, part: said}))
        return
    assert written.get(part) == said, _HOW


def _text(parts: dict[str, Any]) -> str:
    """JSON with a line for each row, so that a change of one is a change of one line."""
    whole = {name: _lines(rows) for name, rows in sorted(parts.items())}
    return "{\n" + ",\n".join(f"{_json(name)}: {rows}" for name, rows in whole.items()) + "\n}\n"


def _lines(rows: Any) -> str:
    if isinstance(rows, dict):
        inner = (f"{_json(key)}: {_json(value)}" for key, value in rows.items())
        return "{\n" + ",\n".join(inner) + "\n}"
    return "[\n" + ",\n".join(map(_json, rows)) + "\n]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
