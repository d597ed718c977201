"""Step of whatever needs an approval: asks for it, and leaves the state machine waiting."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.bootstrap import logger
from commons.domain.approvals import ApprovalRequest, approval, notice, requested_event


@logger.inject_lambda_context
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    request, now = ApprovalRequest.model_validate(event), bootstrap.now()
    asked = bootstrap.approval_table().ask(approval(request, now))
    if asked.state != "open":
        # this step is tried again, and somebody decided meanwhile
        bootstrap.approval_desk().send(asked, now)
    else:
        bootstrap.event_bus().publish([requested_event(asked)])
        bootstrap.notices().tell(*notice(asked))
    logger.info("approval requested", approval=asked.id, kind=asked.kind, state=asked.state)
    return {"approval_id": asked.id}
