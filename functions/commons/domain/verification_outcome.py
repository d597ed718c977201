"""What the answers of a cluster mean: the condition AccessVerified, which names nobody."""

from collections.abc import Collection, Iterable

from commons.domain.access_questions import Question
from commons.domain.facets import Outcome, reached
from commons.domain.status import Condition

VERIFIED = "AccessVerified"


def not_asked() -> Outcome:
    """On a cluster that is only observed nobody has been given anything."""
    text = "the cluster is observed only: nobody is let in, so nothing is verified"
    condition = Condition(type=VERIFIED, status="True", reason="Observing", message=text)
    return Outcome(conditions=[condition])


def outcome(
    team: str,
    asked: list[Question],
    wrong: list[Question],
    left_out: int,
    policies: Collection[str] = (),
) -> Outcome:
    """`wrong`: the questions whose answer was not the expected one. `policies`: those of EKS on the
    team's access entry, which no review of a cluster knows of.
    """
    if policies:
        return _failed("AccessTooWide", wrong, _attached(team, policies))
    too_wide = [each for each in wrong if not each.expected]
    if too_wide:
        return _failed("AccessTooWide", too_wide[1:], _too_wide(team, too_wide[0]))
    if wrong:
        return _failed("AccessTooNarrow", wrong[1:], _too_narrow(team, wrong[0]))
    roles = sorted({each.role for each in asked if each.expected})
    if not roles:
        text = f"{len(asked)} questions asked: nobody of the team may do anything here"
        return reached(VERIFIED, [], text)
    places = len({each.namespace for each in asked}) - 1
    text = (
        f"{len(asked)} questions asked: {_and(roles)} may do here what the role allows, and "
        f"nothing in {max(places, 0)} namespaces that are not the team's"
    )
    if left_out:
        text += f"; a sample, {left_out} more were not asked about"
    return reached(VERIFIED, [], text)


def _failed(reason: str, others: list[Question], message: str) -> Outcome:
    more = f"; and {len(others)} answers more are not as they should be" if others else ""
    condition = Condition(type=VERIFIED, status="False", reason=reason, message=message + more)
    return Outcome(conditions=[condition])


def _attached(team: str, policies: Collection[str]) -> str:
    return (
        f"the team's access entry has {', '.join(policies)}, by which everybody of the team may do "
        "what no role of theirs allows: take it off (aws eks disassociate-access-policy), then "
        f"run: commons team reconcile {team}"
    )


def _too_wide(team: str, wrong: Question) -> str:
    return (
        f"a {wrong.role} of the team may {wrong.act} in {wrong.namespace}, and must not: find the "
        f"binding that lets them (kubectl get rolebindings -n {wrong.namespace} -o wide; kubectl "
        f"get clusterrolebindings -o wide), delete it, then run: commons team reconcile {team}"
    )


def _too_narrow(team: str, wrong: Question) -> str:
    return (
        f"a {wrong.role} of the team may not {wrong.act} in {wrong.namespace}, although the role "
        f"allows it: look whether another authorizer of the cluster refuses it, then run: commons "
        f"team reconcile {team}"
    )


def _and(words: Iterable[str]) -> str:
    return " and ".join(f"a {word}" for word in words)
