"""A role of a template keeps its permissions boundary, which the gateway's evaluator then applies.

Without this the property is dropped and the boundary limits nothing.
"""

from collections.abc import Callable
from typing import Any

from ministack.services import iam
from ministack.services.cloudformation import provisioners

from local.gateway_patch import PatchDoesNotApply

_KIND = "AWS::IAM::Role"

Made = tuple[str, dict[str, Any]]


def apply() -> None:
    """Mend how CloudFormation makes and changes roles; raises PatchDoesNotApply."""
    handlers = provisioners._RESOURCE_HANDLERS.get(_KIND, {})
    if not {"create", "update"} <= set(handlers):
        raise PatchDoesNotApply(f"CloudFormation does not make {_KIND} as it did")
    handlers["create"] = _bounded(handlers["create"], new=1)
    handlers["update"] = _bounded(handlers["update"], new=2)


def _bounded(plain: Callable[..., Made], new: int) -> Callable[..., Made]:
    """`new` is where among the arguments the wanted properties are."""

    def provision(*arguments: Any, **named: Any) -> Made:
        name, attributes = plain(*arguments, **named)
        iam._roles.get(name)["PermissionsBoundary"] = arguments[new].get("PermissionsBoundary")
        return name, attributes

    return provision
