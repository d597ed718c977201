"""Getting in with a token that is none, or no longer one."""

from tests.cluster.isolation.company import AMBER
from tests.cluster.isolation.escapes.attempt import at, get, stopped

_PODS = get(at(AMBER, "pods"))

ATTEMPTS = tuple(
    attempt
    for who, what in (
        ("nobody", "list pods without a token"),
        ("stranger", "list pods with a token that nobody made"),
        ("expired", "list pods with a token of 16 minutes ago"),
        ("dated-ahead", "list pods with a token dated an hour ahead, to last longer"),
        ("other-cluster", "list pods with a token that was signed for another cluster"),
        ("other-server", "list pods with a token that lets their own server say who they are"),
        ("other-action", "list pods with a signed call that is not the one of a token"),
        ("role-without-entry", "list pods as a role of the account that has no access entry"),
        ("role-gone", "list pods with a session of a role that was deleted"),
        ("role-made-again", "list pods as a role that was deleted and made again under its name"),
    )
    for attempt in stopped("sign-in", who, (f"in-as-{who}", what, _PODS))
)
