"""Every route of the HTTP API is signed for, described and answered by a function of ours."""

import json

from cli import openapi
from tests.template.template import resources

ROUTES = resources("AWS::ApiGatewayV2::Route")
INTEGRATIONS = resources("AWS::ApiGatewayV2::Integration")


def test_the_published_description_is_that_of_the_routes() -> None:
    assert openapi.FILE.read_text() == openapi.text(), "docs/openapi.json is old; run: make schemas"


def test_every_route_of_the_template_is_one_of_the_functions_and_the_reverse() -> None:
    described = {
        f"{method.upper()} {path}": operation["operationId"]
        for path, item in openapi.document()["paths"].items()
        for method, operation in item.items()
    }
    declared = {each["RouteKey"]: name for name, each in ROUTES.items()}
    assert set(declared) == set(described)
    for key, name in described.items():
        assert declared[key] == f"{name[0].upper()}{name[1:]}Route"


def test_nobody_calls_without_a_signature() -> None:
    assert {each["AuthorizationType"] for each in ROUTES.values()} == {"AWS_IAM"}
    (api,) = resources("AWS::ApiGatewayV2::Api").values()
    assert "CorsConfiguration" not in api
    assert api["ProtocolType"] == "HTTP"


def test_a_route_leads_to_the_function_that_has_it() -> None:
    for app in openapi.APPS:
        paths = json.loads(app.get_openapi_json_schema())["paths"]
        keys = {f"{method.upper()} {path}" for path, item in paths.items() for method in item}
        targets = {
            each["Target"]["Fn::Sub"] for each in ROUTES.values() if each["RouteKey"] in keys
        }
        assert len(targets) == 1, keys


def test_only_this_api_may_invoke_its_functions() -> None:
    allowed = {
        each["FunctionName"]["Ref"]: each["SourceArn"]["Fn::Sub"]
        for each in resources("AWS::Lambda::Permission").values()
    }
    called = {
        each["IntegrationUri"]["Fn::GetAtt"].removesuffix(".Arn") for each in INTEGRATIONS.values()
    }
    assert set(allowed) == called
    assert all(":${ChargebackApi}/" in each for each in allowed.values())


def test_the_log_of_calls_names_nobody() -> None:
    (stage,) = resources("AWS::ApiGatewayV2::Stage").values()
    written = stage["AccessLogSettings"]["Format"]
    json.loads(written)
    for personal in ("identity", "caller", "user", "authorizer", "domainName", ".path"):
        assert personal not in written
    assert stage["DefaultRouteSettings"]["ThrottlingRateLimit"] > 0
