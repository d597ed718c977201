"""The directory through the real client; whole stories are in the tests of the members facet."""

from typing import Any

import pytest

from commons.adapters.identity_store import IdentityStore
from commons.domain.errors import Throttled
from tests.aws_fake import Refused
from tests.directory_fake import STORE, DirectoryFake


@pytest.fixture
def directory() -> DirectoryFake:
    return DirectoryFake()


def store(directory: DirectoryFake) -> IdentityStore:
    return IdentityStore(directory.client, STORE)


def test_a_group_is_found_by_its_exact_name(directory: DirectoryFake) -> None:
    directory.group("g1", "gpu-alpha")

    assert store(directory).group_id("gpu-alpha") == "g1"
    assert store(directory).group_id("gpu-Alpha") is None


def test_a_group_that_is_gone_has_no_memberships_and_an_empty_one_has_none_either(
    directory: DirectoryFake,
) -> None:
    directory.group("g1", "gpu-alpha")

    assert store(directory).memberships("g1") == ()
    assert store(directory).memberships("g2") is None


def test_a_failure_after_the_first_page_hands_out_nothing(directory: DirectoryFake) -> None:
    directory.group("g1", "gpu-alpha", [f"u{number}" for number in range(120)])
    directory.fail_on_page = 2

    with pytest.raises(Throttled, match="g1"):
        store(directory).memberships("g1")


@pytest.mark.parametrize(("count", "listed"), [(100, 0), (101, 2)])
def test_many_people_are_read_by_pages_and_few_one_by_one(
    directory: DirectoryFake, count: int, listed: int
) -> None:
    ids = [directory.user(f"u{number}") for number in range(count)]

    people = store(directory).people(ids)

    assert set(people) == set(ids)
    assert directory.count("ListUsers") == listed
    assert directory.count("DescribeUser") == (0 if listed else count)


def test_reading_everybody_ends_when_all_are_found(directory: DirectoryFake) -> None:
    ids = [directory.user(f"u{number}") for number in range(500)]

    store(directory).people(ids[:150])

    assert directory.count("ListUsers") == 2


def test_those_whom_the_list_does_not_have_are_asked_for(directory: DirectoryFake) -> None:
    ids = [directory.user(f"u{number}") for number in range(101)]
    directory.group("inner", "gpu-inner")

    people = store(directory).people([*ids, "inner", "nobody"])

    assert people["inner"].status == "nested"
    assert people["nobody"].status == "unknown"


@pytest.mark.parametrize(
    ("status", "expected"), [("ENABLED", "enabled"), ("DISABLED", "disabled"), (None, "enabled")]
)
def test_a_directory_that_never_disabled_anybody_says_no_status(
    directory: DirectoryFake, status: str | None, expected: str
) -> None:
    directory.user("u1", "ada@example.com")
    if status is None:
        del directory.users["u1"]["UserStatus"]
    else:
        directory.users["u1"]["UserStatus"] = status

    person = store(directory).people(["u1"])["u1"]

    assert (person.user_name, person.status) == ("ada@example.com", expected)


def test_a_member_that_is_no_person_is_nested_without_a_look_up(directory: DirectoryFake) -> None:
    assert store(directory).people([""])[""].status == "nested"
    assert directory.calls == []


def test_other_errors_are_not_taken_for_absence(directory: DirectoryFake) -> None:
    def broken(**_: Any) -> dict[str, Any]:
        raise Refused("ValidationException")

    for operation in ("DescribeUser", "GetGroupId", "ListGroupMemberships"):
        directory.answer(operation, broken)

    for call in (
        lambda: store(directory).people(["u1"]),
        lambda: store(directory).group_id("x"),
        lambda: store(directory).memberships("x"),
    ):
        with pytest.raises(Exception, match="ValidationException"):
            call()
