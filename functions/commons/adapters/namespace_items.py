"""Access and namespaces of a team in the `teams` table; who holds which namespace name."""

from datetime import datetime

from commons.adapters.table_items import TableItems, absent
from commons.domain.documents import TeamDocument
from commons.domain.faults import Fault
from commons.domain.names import namespace_name
from commons.domain.status import Condition, iso
from commons.domain.team import Access, NamespaceRecord, QuotaRecord, plain, stored


class NamespaceItems(TableItems):
    def access(self, team: str) -> list[Access]:
        return [Access.model_validate(item) for item in self._below(f"TEAM#{team}", "ACCESS#")]

    def put_access(self, team: str, access: Access) -> None:
        self._put({"pk": f"TEAM#{team}", "sk": f"ACCESS#{access.account}", **access.model_dump()})

    def namespaces(self, team: str) -> list[NamespaceRecord]:
        items = self._below(f"TEAM#{team}", "NAMESPACE#")
        return [NamespaceRecord.model_validate(plain(item)) for item in items]

    def note_quota(
        self, team: str, cluster: str, namespace: str, quota: QuotaRecord | None
    ) -> None:
        """Remember the compute quota of a namespace; the rest of its item stays as it is."""
        value = stored(quota.model_dump()) if quota else None
        self._note(team, cluster, namespace, {"quota": value})

    def note_access_entry(
        self, team: str, cluster: str, namespace: str, access_entry: str | None
    ) -> None:
        """Remember the principal that the team's entry on the cluster is for."""
        self._note(team, cluster, namespace, {"access_entry": access_entry})

    def note_conditions(
        self,
        team: str,
        cluster: str,
        namespace: str,
        project: str | None,
        phase: str,
        conditions: list[Condition],
    ) -> None:
        values = {"project": project, "phase": phase}
        dumped = [condition.model_dump() for condition in conditions]
        self._note(team, cluster, namespace, {**values, "conditions": dumped})

    def claim_namespaces(self, document: TeamDocument, now: datetime) -> list[Fault]:
        """Take the names of all its namespaces, for good; a fault for each that is another's.

        Nothing is taken for a document with such a fault, unless the other came in between.
        """
        names = {
            (spec.cluster, namespace_name(document.team, spec.project)): (index, spec.project)
            for index, spec in enumerate(document.namespaces)
        }
        taken = [
            _is_taken(index, name, holder)
            for (cluster, name), (index, project) in names.items()
            if (holder := self.holder(cluster, name)) not in (None, (document.team, project))
        ]
        if taken:
            return taken
        return [
            _is_taken(index, name, self.holder(cluster, name))
            for (cluster, name), (index, project) in names.items()
            if not self._claim_name(cluster, name, document.team, project, now)
        ]

    def _claim_name(
        self, cluster: str, namespace: str, team: str, project: str | None, now: datetime
    ) -> bool:
        key = {"pk": f"NAMESPACE#{cluster}#{namespace}", "sk": "CLAIM"}
        claim = {"team": team, "project": project or "", "claimed_at": iso(now)}
        made = self._put({**key, **claim}, absent("pk"))
        return made or self.holder(cluster, namespace) == (team, project)

    def holder(self, cluster: str, namespace: str) -> tuple[str, str | None] | None:
        """Team and project that hold the name, or None."""
        item = self._get(f"NAMESPACE#{cluster}#{namespace}", "CLAIM")
        return (item["team"], item["project"] or None) if item else None

    def _note(self, team: str, cluster: str, namespace: str, values: dict[str, object]) -> None:
        ids = {"cluster": cluster, "namespace": namespace}
        self._set(f"TEAM#{team}", f"NAMESPACE#{cluster}#{namespace}", {**ids, **values})


def _is_taken(index: int, namespace: str, holder: tuple[str, str | None] | None) -> Fault:
    team, project = holder or ("somebody else", None)
    whose = f"project {project} of team {team}" if project else f"team {team}"
    return Fault(
        ("namespaces", index),
        f"the namespace {namespace} belongs to {whose} on that cluster, for good; name the team or "
        "the project otherwise",
    )
