"""Step of reconcile_team: ask the cluster whether access to a namespace is what it should be."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.access_plan import role_in
from commons.domain.facets import NamespaceStep, Outcome, spec_of
from commons.domain.queue_hold import lets_people_in
from commons.domain.verification import people_of, questions
from commons.domain.verification_outcome import not_asked, outcome


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    step = NamespaceStep.model_validate(event)
    table, members = bootstrap.team_table(), bootstrap.member_table()
    cluster = table.registered_cluster(step.cluster)
    if cluster.mode == "observe":
        return not_asked().payload()
    document = table.get_team_document(step.team)
    reviews = bootstrap.access_reviews(cluster)
    open_ = spec_of(step, document) is not None and lets_people_in(
        document.state, reviews.tasks(step.namespace)
    )
    groups = bootstrap.access_entries(cluster).groups(
        cluster.eks_cluster, role_in(table.access(step.team), cluster)
    )
    known = members.members(step.team).values()
    people = people_of(step.team, known, members.left(step.team), groups, open_)
    places = reviews.places(step.team, step.namespace, people)
    if places is None:
        # the quota says what is missing; there is nothing that anybody could do in it
        return Outcome(conditions=[]).payload()
    asked, left_out = questions(people, places)
    answer = outcome(step.team, asked, reviews.wrong(asked), left_out)
    bootstrap.logger.info("access is verified", team=step.team, questions=len(asked))
    return answer.payload()
