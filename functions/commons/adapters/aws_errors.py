"""Translates what AWS answers into errors that say what should happen next."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from commons.domain.errors import AccessDenied, ChangedMeanwhile, Throttled

_SLOWER = {
    "InternalFailure",
    "InternalServerException",
    "LimitExceededException",
    "RequestLimitExceeded",
    "RequestThrottled",
    "ServerException",
    "ServiceUnavailable",
    "ServiceUnavailableException",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
}
_DENIED = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "Forbidden"}
_CHANGED = {"ConflictException", "ConcurrentModificationException"}


def code_of(error: ClientError) -> str:
    """The error's name, as the service writes it."""
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Name what was being done; errors that mean nothing general pass through as they are.

    Raises Throttled when the client's own retries are spent, ChangedMeanwhile and AccessDenied.
    """
    try:
        yield
    except (HTTPClientError, NoConnection) as error:
        raise Throttled(f"{doing}: no answer ({error})") from error
    except ClientError as error:
        if code_of(error) in _SLOWER:
            raise Throttled(f"{doing}: {error}") from error
        if code_of(error) in _CHANGED:
            raise ChangedMeanwhile(f"{doing}: {error}") from error
        if code_of(error) in _DENIED:
            said = error.response["Error"].get("Message", error)
            raise AccessDenied(f"{doing}: {said}") from error
        raise
