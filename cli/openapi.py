"""`make schemas`: docs/openapi.json, from the routes of the functions behind the HTTP API."""

import json
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from chargeback import query_chargeback
from commons.adapters.http_api import Problem

FILE = Path(__file__).parents[1] / "docs" / "openapi.json"
APPS: tuple[APIGatewayHttpResolver, ...] = (query_chargeback.app,)

_DESCRIPTION = (
    "Every call is signed with AWS Signature Version 4 for the service execute-api. Amounts and "
    "device-hours are decimals with ten places, written as text so that no client rounds them."
)
_SIGNED = {
    "type": "apiKey",
    "name": "Authorization",
    "in": "header",
    "description": "AWS Signature Version 4.",
    "x-amazon-apigateway-authtype": "awsSigv4",
}
_PROBLEM = {
    "description": "Why it was not answered: 400 no question, 403 not allowed, 404 not there, "
    "409 too late, 503 ask again.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
# Powertools' own answers to a wrong request, in whose place ours are
_FOREIGN = ("HTTPValidationError", "ResponseValidationError", "ValidationError")


def document() -> dict[str, Any]:
    """The paths of all functions together, as OpenAPI 3.1."""
    found = [json.loads(app.get_openapi_json_schema()) for app in APPS]
    paths = {path: item for each in found for path, item in sorted(each["paths"].items())}
    schemas = {k: v for each in found for k, v in each["components"]["schemas"].items()}
    schemas["Problem"] = Problem.model_json_schema()
    for item in paths.values():
        for operation in item.values():
            operation["responses"].pop("422", None)
            operation["responses"]["4XX"] = operation["responses"]["5XX"] = _PROBLEM
    return {
        "openapi": "3.1.0",
        "info": {"title": "GPU Commons", "version": "1", "description": _DESCRIPTION},
        "security": [{"sigv4": []}],
        "paths": paths,
        "components": {
            "schemas": {k: schemas[k] for k in sorted(schemas) if k not in _FOREIGN},
            "securitySchemes": {"sigv4": _SIGNED},
        },
    }


def text() -> str:
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
