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


def leaving(team: str, namespace: str, quota: Quota | None, observing: bool) -> Outcome:
    """Of a team that leaves: `quota` is what is left of it."""
    if quota is None:
        return reached(QUOTA, [], "the team leaves, and there is no compute quota any more")
    if observing:
        text = f"the cluster is observed only: the compute quota {quota.name} stays"
        return Outcome(
            conditions=[Condition(type=QUOTA, status="True", reason="Observing", message=text)]
        )
    text = (
        f"nothing runs in {namespace} any more. Its compute quota {quota.name} stays, and with it "
        "its share of the cluster, because deleting it may delete the namespace and the data in "
        "it: look what is left there, then run: aws sagemaker delete-compute-quota "
        f"--compute-quota-id {quota.id}; or let the product do it: deploy with "
        f"AllowDataDeletion=true, then run: commons team reconcile {team}"
    )
    condition = Condition(type=QUOTA, status="False", reason="LeftToAPerson", message=text)
    return Outcome(conditions=[condition])


def outcome(
    quota: Quota | None, actions: list[str], warnings: list[str], observing: bool
) -> Outcome:
    name = f"{quota.name}, version {quota.version}," if quota else "no quota"
    answer = reached(QUOTA, actions, f"{name} is as the document says", observing)
    if not warnings:
        return answer
    text = f"the quotas exceed the cluster: {'; '.join(warnings)}"
    warning = Condition(type="QuotaFits", status="True", reason="Overcommitted", message=text)
    return answer.also([warning])
