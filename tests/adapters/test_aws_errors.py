"""What AWS answers becomes an error that says what should happen next."""

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from commons.adapters.aws_errors import code_of, translated
from commons.domain.errors import AccessDenied, ChangedMeanwhile, Throttled


def answered(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "said so"}}, "Operation")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("ThrottlingException", Throttled),
        ("TooManyRequestsException", Throttled),
        ("InternalServerException", Throttled),
        ("ServiceUnavailable", Throttled),
        ("ConflictException", ChangedMeanwhile),
        ("AccessDeniedException", AccessDenied),
        ("AccessDenied", AccessDenied),
    ],
)
def test_errors_are_sorted_by_what_should_happen(code: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"reading x: .*said so"), translated("reading x"):
        raise answered(code)


@pytest.mark.parametrize(
    "timeout", [ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError]
)
def test_who_does_not_answer_is_tried_later(timeout: type[Exception]) -> None:
    with pytest.raises(Throttled, match="reading x: no answer"), translated("reading x"):
        raise timeout(endpoint_url="https://example.com")  # type: ignore[call-arg]


def test_errors_that_mean_nothing_in_general_stay_what_they_are() -> None:
    with pytest.raises(ClientError) as raised, translated("reading x"):
        raise answered("ResourceNotFoundException")

    assert code_of(raised.value) == "ResourceNotFoundException"


def test_what_is_well_passes() -> None:
    with translated("reading x"):
        assert code_of(ClientError({}, "Operation")) == ""
