"""A caller as STS names it is matched with the role as IAM names it, whatever the path."""

import pytest

from commons.domain import callers
from commons.domain.callers import Caller

NAME = "AWSReservedSSO_commons-vision_0123456789abcdef"
ARN = f"arn:aws:sts::111122223333:assumed-role/{NAME}/ada@example.com"
ROLES = "arn:aws:iam::111122223333:role"


def caller(arn: str = ARN) -> Caller:
    found = callers.read(arn)
    assert found is not None
    return found


def test_ac_01_a_session_says_the_person_and_the_permission_set() -> None:
    assert caller().session_name == "ada@example.com"
    assert caller().permission_set == "commons-vision"
    assert caller(ARN.replace("commons-vision", "with_underscores")).permission_set == (
        "with_underscores"
    )


@pytest.mark.parametrize(
    ("role_arn", "same"),
    [
        (f"{ROLES}/aws-reserved/sso.amazonaws.com/{NAME}", True),
        (f"{ROLES}/aws-reserved/sso.amazonaws.com/eu-west-1/{NAME}", True),
        # another suffix is another role: the permission set was provisioned again
        (f"{ROLES}/aws-reserved/sso.amazonaws.com/{NAME[:-1]}0", False),
        (f"{ROLES}/aws-reserved/sso.amazonaws.com/X{NAME}", False),
        (f"{ROLES.replace('111122223333', '444455556666')}/aws-reserved/{NAME}", False),
        (f"{ROLES.replace(':aws:', ':aws-cn:')}/aws-reserved/{NAME}", False),
    ],
)
def test_ac_01_a_session_is_of_the_role_with_its_name_whatever_the_path(
    role_arn: str, same: bool
) -> None:
    assert callers.is_session_of(caller(), role_arn) is same


@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:iam::111122223333:root",
        "arn:aws:iam::111122223333:user/AWSReservedSSO_commons-vision_ab",
        f"{ROLES}/aws-reserved/sso.amazonaws.com/{NAME}",
        "arn:aws:sts::111122223333:assumed-role/gpu-commons-cluster-reader/watch",
        "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_nothing/ada",
        f"arn:aws:sts::111122223333:assumed-role/{NAME}/",
        f"arn:aws:sts::111122223333:assumed-role/{NAME}/a/b",
        f"{ARN}\n",
        "",
    ],
)
def test_whoever_is_no_session_of_such_a_role_is_nobody(arn: str) -> None:
    assert callers.read(arn) is None
