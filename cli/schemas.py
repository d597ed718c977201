"""`make schemas`: the JSON Schemas of the documents, as published under docs/schemas."""

import json
from pathlib import Path

from pydantic import BaseModel

from commons.domain.chargeback_rules import ChargebackRules
from commons.domain.documents import ClusterDocument, TeamDocument

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"
_DOCUMENTS: dict[str, type[BaseModel]] = {
    "cluster": ClusterDocument,
    "team": TeamDocument,
    "chargeback-rules": ChargebackRules,
}


def schemas() -> dict[str, str]:
    """Text of each schema by its file name; the same for the same models."""
    return {
        f"{name}.schema.json": json.dumps(
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                **model.model_json_schema(mode="validation"),
            },
            indent=2,
        )
        + "\n"
        for name, model in _DOCUMENTS.items()
    }


def write(folder: Path = FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in schemas().items():
        folder.joinpath(name).write_text(text)


if __name__ == "__main__":
    write()
