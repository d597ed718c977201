"""Access and namespaces of a team in the `teams` table; who holds which namespace name."""

from datetime import datetime

from boto3.dynamodb.conditions import Attr

from commons.adapters.table_items import TableItems, absent
from commons.domain.errors import Conflict
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

    def note_quota(self, team: str, cluster: str, namespace: str, quota: QuotaRecord) -> None:
        """Remember the compute quota of a namespace; the rest of its item stays as it is."""
        self._note(team, cluster, namespace, {"quota": stored(quota.model_dump())})

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

    def claim_namespace(
        self, cluster: str, namespace: str, team: str, project: str | None, now: datetime
    ) -> None:
        """Take the name for the team, for good. Raises Conflict if it is somebody else's."""
        key = {"pk": f"NAMESPACE#{cluster}#{namespace}", "sk": "CLAIM"}
        claim = {"team": team, "project": project or "", "claimed_at": iso(now)}
        own = Attr("team").eq(team) & Attr("project").eq(project or "")
        if self._put({**key, **claim}, absent("pk")) or self._set(
            key["pk"], key["sk"], {"team": team}, own
        ):
            return
        holder = self._get(key["pk"], key["sk"]) or {}
        who = f"team {holder.get('team')}"
        if holder.get("project"):
            who += f", project {holder['project']}"
        raise Conflict(
            f"The namespace {namespace} on {cluster} belongs to {who}; "
            "rename the project, or the team before its first namespace is made"
        )

    def holder(self, cluster: str, namespace: str) -> tuple[str, str | None] | None:
        """Team and project that hold the name, or None."""
        item = self._get(f"NAMESPACE#{cluster}#{namespace}", "CLAIM")
        return (item["team"], item["project"] or None) if item else None

    def _note(self, team: str, cluster: str, namespace: str, values: dict[str, object]) -> None:
        ids = {"cluster": cluster, "namespace": namespace}
        self._set(f"TEAM#{team}", f"NAMESPACE#{cluster}#{namespace}", {**ids, **values})
