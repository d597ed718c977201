"""What EKS refuses, and what that means for the entry."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from commons.adapters.access_entries import AccessEntries
from commons.domain.access import EntryChange
from commons.domain.errors import AccessDenied, Blocked, ChangedMeanwhile, StillConverging
from tests.access_fakes import EksFake
from tests.aws_fake import Refused

ROLE = "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_commons-a_1"


@pytest.fixture
def eks() -> EksFake:
    return EksFake()


def refuse(eks: EksFake, operation: str, code: str) -> None:
    def answer(**_: Any) -> dict[str, Any]:
        raise Refused(code, "said so")

    eks.answer(operation, answer)


def change(verb: Any) -> EntryChange:
    return EntryChange(verb=verb, principal=ROLE, username="commons:a:{{SessionName}}", arn=ROLE)


@pytest.mark.parametrize(
    ("verb", "operation", "code", "error"),
    [
        ("create", "CreateAccessEntry", "InvalidParameterException", StillConverging),
        ("create", "CreateAccessEntry", "ResourceInUseException", ChangedMeanwhile),
        ("create", "CreateAccessEntry", "InvalidRequestException", Blocked),
        ("create", "CreateAccessEntry", "ResourceLimitExceededException", Blocked),
        ("create", "CreateAccessEntry", "AccessDeniedException", AccessDenied),
        ("update", "UpdateAccessEntry", "ResourceNotFoundException", ChangedMeanwhile),
        ("tag", "TagResource", "NotFoundException", ChangedMeanwhile),
        ("delete", "DeleteAccessEntry", "InvalidRequestException", Blocked),
        ("create", "CreateAccessEntry", "SomethingNewException", ClientError),
    ],
)
def test_what_eks_refuses_says_what_should_happen(
    eks: EksFake, verb: str, operation: str, code: str, error: type[Exception]
) -> None:
    refuse(eks, operation, code)

    with pytest.raises(error):
        AccessEntries(eks.client).apply("hp-eks", change(verb))


def test_an_entry_that_is_gone_already_is_deleted(eks: EksFake) -> None:
    AccessEntries(eks.client).apply("hp-eks", change("delete"))

    assert eks.writes == ["DeleteAccessEntry"]


def test_a_cluster_that_does_not_exist_blocks(eks: EksFake) -> None:
    refuse(eks, "ListAccessEntries", "ResourceNotFoundException")

    with pytest.raises(Blocked, match=r"hp-eks does not exist.*commons cluster register"):
        AccessEntries(eks.client).of_permission_set("hp-eks", "commons-a")


@pytest.mark.parametrize("operation", ["DescribeAccessEntry", "ListAccessEntries"])
def test_other_errors_are_not_taken_for_absence(eks: EksFake, operation: str) -> None:
    refuse(eks, operation, "InvalidRequestException")
    entries = AccessEntries(eks.client)
    read = {
        "DescribeAccessEntry": lambda: entries.get("hp-eks", ROLE),
        "ListAccessEntries": lambda: entries.of_permission_set("hp-eks", "commons-a"),
    }

    with pytest.raises(ClientError, match="InvalidRequestException"):
        read[operation]()


def test_only_entries_of_the_permission_set_are_described(eks: EksFake) -> None:
    for principal in (ROLE, ROLE.replace("commons-a_", "commons-ab_"), "arn:aws:iam::1:user/x"):
        eks.put(principal)

    found = AccessEntries(eks.client).of_permission_set("hp-eks", "commons-a")

    assert [entry.principal for entry in found] == [ROLE]
    assert eks.count("DescribeAccessEntry") == 1
