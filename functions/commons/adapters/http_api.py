"""What all functions of the HTTP API share: parameters, errors, and who signed the call."""

from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response, content_types
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from pydantic import BaseModel

from commons.domain.errors import (
    CommonsError,
    Conflict,
    NotAllowed,
    NotFound,
    RefusedInput,
    TooLate,
    TryLater,
)

# the only place where an error becomes a status; any other one is a fault of ours, 500
_STATUS: dict[type[CommonsError], HTTPStatus] = {
    RefusedInput: HTTPStatus.BAD_REQUEST,
    NotAllowed: HTTPStatus.FORBIDDEN,
    NotFound: HTTPStatus.NOT_FOUND,
    Conflict: HTTPStatus.CONFLICT,
    TooLate: HTTPStatus.CONFLICT,
    TryLater: HTTPStatus.SERVICE_UNAVAILABLE,
}


class Problem(BaseModel):
    """Why a request was not answered."""

    error: str
    message: str


def resolver() -> APIGatewayHttpResolver:
    """Routes with typed parameters; each error of ours is answered with its sentence."""
    app = APIGatewayHttpResolver(enable_validation=True)
    app.use([_each_parameter_counts])
    app.exception_handler(list(_STATUS))(_answered)
    app.exception_handler(RequestValidationError)(_refused)
    app.not_found(_unknown)
    return app


def caller_arn(app: APIGatewayHttpResolver) -> str:
    """ARN of whoever signed the call, as API Gateway has verified it."""
    authorizer = app.current_event.request_context.authorizer
    return str((authorizer and authorizer.iam and authorizer.iam.user_arn) or "")


def _each_parameter_counts(
    app: APIGatewayHttpResolver, next_middleware: NextMiddleware
) -> Response[Any]:
    """A filter that is misspelt must not look like one that chooses everything."""
    given = [name for name, _ in parse_qsl(app.current_event.raw_query_string, True)]
    known = {name for each in app.context["_route"].dependant.query_params for name in _names(each)}
    faults = [f"{name} is no parameter here" for name in {*given} - known]
    faults += [f"{name} is given twice" for name in {*given} if given.count(name) > 1]
    if faults:
        there_are = f"the parameters are: {', '.join(sorted(known)) or 'none'}"
        raise RefusedInput("the request", [*sorted(faults), there_are])
    return next_middleware(app)


def _names(parameter: Any) -> list[str]:
    """Of one parameter, or of all that a model has together."""
    annotation = parameter.field_info.annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return list(annotation.model_fields)
    return [parameter.alias]


def _answered(error: CommonsError) -> Response[str]:
    status = next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)
    return _problem(status, type(error).__name__, str(error))


def _refused(error: RequestValidationError) -> Response[str]:
    """What is wrong with each parameter, without repeating what was sent."""
    reasons = [f"{fault['loc'][-1]}: {fault['msg']}" for fault in error.errors()]
    return _problem(HTTPStatus.BAD_REQUEST, "RefusedInput", "; ".join(reasons))


def _unknown(_: Exception) -> Response[str]:
    return _problem(HTTPStatus.NOT_FOUND, "NotFound", "There is nothing at this path")


def _problem(status: HTTPStatus, error: str, message: str) -> Response[str]:
    body = Problem(error=error, message=message).model_dump_json()
    return Response(status.value, content_types.APPLICATION_JSON, body)
