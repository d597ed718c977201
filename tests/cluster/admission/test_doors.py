"""Another team's namespace is closed, and the own one open, whatever the roles."""

from typing import Any

import pytest

from tests.cluster.admission.api import (
    OTHER,
    POD_OF_A_PROJECT,
    POD_OF_A_TENANT,
    TENANT,
    Api,
    allowed,
    refused,
    said,
)
from tests.cluster.admission.things import pod, thing


@pytest.mark.parametrize("user", [TENANT, POD_OF_A_TENANT])
@pytest.mark.parametrize("door", ["exec", "attach", "portforward", "proxy"])
def test_a_tenant_writes_and_opens_nothing_next_door(api: Api, door: str, user: str) -> None:
    there = pod()
    there["metadata"]["namespace"] = OTHER
    word = "only team next-door may do that"

    refused(api.create(thing("ConfigMap", namespace=OTHER), user), "guard", word)
    refused(_opened(api, api.made(there), door, user), "guard", word)
    allowed(api.create(thing("ConfigMap"), user))


def _opened(api: Api, made: Any, door: str, user: str) -> Any:
    metadata = made["metadata"]
    path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/{door}"
    return api.call("POST", path, None, user, command="sh", stdout="true")


@pytest.mark.parametrize("door", ["exec", "attach", "portforward"])
def test_a_tenant_opens_what_is_at_home(api: Api, door: str) -> None:
    """The pods of the tests are only played: nobody answers, but nobody forbids."""
    answer = _opened(api, api.made(pod(), TENANT), door, TENANT)

    assert "ValidatingAdmissionPolicy" not in said(answer), answer.text


def test_a_pod_of_another_project_is_of_the_team(api: Api) -> None:
    allowed(api.create(thing("ConfigMap"), POD_OF_A_PROJECT))
