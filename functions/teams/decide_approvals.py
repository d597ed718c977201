"""Answers people by HTTP who look what waits for them, approve it or reject it."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query
from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.adapters import http_api
from commons.bootstrap import logger
from commons.domain.api_approvals import Comment, Entry, entry
from commons.domain.approvals import Decision, may_see

app = http_api.resolver()

Id = Annotated[str, Path(description="Id of an approval.", pattern=r"^[0-9a-f]{16}$")]
Said = Annotated[Comment | None, Body(description="Why.")]
Ended = Annotated[bool, Query(description="Those that were decided or have expired. Default: no.")]


@logger.inject_lambda_context
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    return app.resolve(event, context)


@app.get("/approvals", operation_id="listApprovals", summary="What you asked for or may decide")
def approvals(ended: Ended = False) -> list[Entry]:
    who, now, table = _who(), bootstrap.now(), bootstrap.approval_table()
    known = [*table.undecided(), *(table.ended() if ended else ())]
    seen = [each for each in known if may_see(each, who) and each.is_open(now) != ended]
    return [entry(each, now) for each in sorted(seen, key=lambda each: each.requested_at)]


@app.post("/approvals/<id>/approve", operation_id="approve", summary="Say yes")
def approve(id: Id, said: Said = None) -> Entry:
    return _decide(id, "approved", said)


@app.post("/approvals/<id>/reject", operation_id="reject", summary="Say no")
def reject(id: Id, said: Said = None) -> Entry:
    return _decide(id, "rejected", said)


def _decide(approval_id: str, decision: Decision, said: Comment | None) -> Entry:
    now, comment = bootstrap.now(), said.comment if said else None
    decided = bootstrap.approval_desk().decide(approval_id, _who(), decision, comment, now)
    logger.info("approval decided", approval=decided.id, kind=decided.kind, state=decided.state)
    return entry(decided, now)


def _who() -> str:
    """User name of who signed the call. Raises NotAllowed for all but people."""
    return bootstrap.signed_callers().person(http_api.caller_arn(app)).session_name
