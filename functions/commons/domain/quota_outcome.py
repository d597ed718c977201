"""What the quota facet is asked about, and what it says."""

from commons.domain.documents import NamespaceSpec, TeamDocument
from commons.domain.errors import ChangedMeanwhile
from commons.domain.facets import NamespaceStep, Outcome, reached
from commons.domain.quota import Quota
from commons.domain.status import Condition

QUOTA = "QuotaReady"


def spec_of(step: NamespaceStep, document: TeamDocument) -> NamespaceSpec:
    """The document's entry; raises ChangedMeanwhile if it has been taken out by now."""
    for spec in document.namespaces:
        if (spec.cluster, spec.project) == (step.cluster, step.project):
            return spec
    raise ChangedMeanwhile(f"The document of team {step.team} no longer lists {step.namespace}")


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
