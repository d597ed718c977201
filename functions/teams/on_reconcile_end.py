"""Answers a reconcile that failed or was stopped: its team must not stay locked."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.adapters.messages import Message, each_message
from commons.bootstrap import logger
from commons.domain.execution_ends import read_execution_end


@logger.inject_lambda_context
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    return each_message(event, _take, bootstrap.refuse, logger)


def _take(message: Message) -> None:
    end = read_execution_end(message.name, message.body)
    bootstrap.runner().died(end.team, end.detail.execution_arn, bootstrap.now())
    logger.info("a reconcile ended", team=end.team, status=end.detail.status)
