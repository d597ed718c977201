"""First step of publish_chargeback: whose bill this is, and whether it is one to work on."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.cost_report import Delivery, read_report


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    delivery = Delivery.model_validate(event["delivery"])
    text = bootstrap.cost_reports().manifest(delivery)
    report = read_report(delivery, text)
    claims = bootstrap.chargeback_claims()
    decision = claims.take_report(report, event["execution"], bootstrap.now())
    if decision.work:
        bootstrap.chargeback_store().save_report(report, text)
    bootstrap.logger.info(decision.reason, **report.ref.model_dump())
    return {"report": report.ref.model_dump(), "work": decision.work, "reason": decision.reason}
