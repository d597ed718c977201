"""Step of reconcile_team: ask the cluster whether access to a namespace is what it should be."""

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.access_plan import role_in
from commons.domain.facets import NamespaceStep, Outcome, spec_of
from commons.domain.queue_hold import Load, lets_people_in
from commons.domain.verification import people_of, questions
from commons.domain.verification_outcome import not_asked, outcome

if TYPE_CHECKING:
    from commons.adapters.access_reviews import AccessReviews


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    step = NamespaceStep.model_validate(event)
    table, members = bootstrap.team_table(), bootstrap.member_table()
    cluster = table.registered_cluster(step.cluster)
    if cluster.mode == "observe":
        return not_asked().payload()
    reviews, entries = bootstrap.access_reviews(cluster), bootstrap.access_entries(cluster)
    entry = (cluster.eks_cluster, role_in(table.access(step.team), cluster))
    people = people_of(
        step.team,
        members.members(step.team).values(),
        members.left(step.team),
        entries.groups(*entry),
        _takes_people(step, reviews),
    )
    places = reviews.places(step.team, step.namespace, people)
    if places is None:
        # the quota says what is missing; there is nothing that anybody could do in it
        return Outcome(conditions=[]).payload()
    asked, left_out = questions(people, places)
    wrong, policies = reviews.wrong(asked), entries.policies(*entry)
    answer = outcome(step.team, asked, wrong, left_out, policies)
    bootstrap.logger.info("access is verified", team=step.team, questions=len(asked))
    return answer.payload()


def _takes_people(step: NamespaceStep, reviews: "AccessReviews") -> bool:
    """Whether anybody of the team has any business in the namespace."""
    document = bootstrap.team_table().get_team_document(step.team)
    if spec_of(step, document) is None:
        return False
    # what runs matters only of a team that leaves
    tasks = reviews.tasks(step.namespace) if document.state == "leaving" else Load(0, 0)
    return lets_people_in(document.state, tasks)
