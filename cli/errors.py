"""The one place where an error becomes an exit code: 2 for bad input, 1 for a failure."""

import sys

from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError
from rich.console import Console
from typer.exceptions import TyperException

from cli.output import visible
from commons.domain.errors import CommonsError, NeedsAPerson, RefusedInput

BAD_INPUT, FAILURE = 2, 1


class BadInput(Exception):
    """What was asked for cannot be: the sentence names it and says what to do."""


class Failure(Exception):
    """What was asked for did not work: the sentence names the thing and says what to do next."""


def explain(error: Exception) -> tuple[int, str] | None:
    """Exit code and sentence of an error that we know; None for one that is a fault of ours."""
    match error:
        case BadInput() | RefusedInput():
            return BAD_INPUT, str(error)
        case Failure() | NeedsAPerson() | CommonsError():
            return FAILURE, str(error)
        case NoCredentialsError() | NoRegionError():
            return (
                BAD_INPUT,
                f"{error} Set the usual AWS environment, or run: eval $(commons local env)",
            )
        case ClientError():
            return (
                FAILURE,
                f"AWS refused {error.operation_name}: {error.response['Error'].get('Message')}",
            )
        case BotoCoreError():
            return FAILURE, f"AWS could not be reached: {error}"
        case TyperException():
            return error.exit_code, error.format_message()
    return None


def report(error: Exception) -> int:
    """Say it on standard error and return the exit code; an unknown error is raised again."""
    known = explain(error)
    if known is None:
        raise error
    code, sentence = known
    if sentence:  # the help, asked for by typing nothing, was printed already
        Console(file=sys.stderr, soft_wrap=True).print(
            f"commons: {visible(sentence)}", markup=False, highlight=False
        )
    return code
