"""Answers by HTTP who wants to close a month: it is begun, and waits for somebody else's yes."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Path
from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.adapters import http_api
from commons.domain.api_approvals import Closing
from commons.domain.api_questions import PERIOD_PATTERN
from commons.domain.approvals import CLOSE_PERIOD
from commons.domain.errors import TooLate

app = http_api.resolver()

Period = Annotated[str, Path(description="Month, YYYY-MM.", pattern=PERIOD_PATTERN)]


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    return app.resolve(event, context)


@app.post("/periods/<period>/close", operation_id="askToClose", summary="Ask to close a month")
def close(period: Period) -> Closing:
    who = bootstrap.signed_callers().person(http_api.caller_arn(app)).session_name
    for known in bootstrap.approval_table().undecided():
        if (known.kind, known.subject) == (CLOSE_PERIOD, period) and known.is_open(bootstrap.now()):
            raise TooLate(f"{period} is to be closed already: approval {known.id} is open")
    name = f"{period}-{app.lambda_context.aws_request_id}"
    execution = bootstrap.closings().begin(name, {"period": period, "requested_by": who})
    bootstrap.logger.info("closing begun", period=period, execution=execution)
    return Closing(period=period, requested_by=who, execution=execution)
