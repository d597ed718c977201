"""What the quota facet says."""

from commons.domain.facets import NamespaceStep, Outcome, reached
from commons.domain.quota import Quota
from commons.domain.status import Condition

QUOTA = "QuotaReady"


def left_alone(step: NamespaceStep) -> Outcome:
    """A quota that the document no longer lists stays: deleting it may delete data."""
    text = (
        f"{step.namespace} is no longer in the document; its quota stays until a person deletes it"
    )
    return reached(QUOTA, [], text)


def outcome(
    quota: Quota | None, actions: list[str], warnings: list[str], observing: bool
) -> Outcome:
    name = f"{quota.name}, version {quota.version}," if quota else "no quota"
    answer = reached(QUOTA, actions, f"{name} is as the document says", observing)
    if not warnings:
        return answer
    text = f"the quotas exceed the cluster: {'; '.join(warnings)}"
    warning = Condition(type="QuotaFits", status="True", reason="Overcommitted", message=text)
    return answer.model_copy(update={"conditions": [*answer.conditions, warning]})
