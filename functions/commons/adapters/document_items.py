"""The accepted documents in the `teams` table, and how a team is found from what it names."""

from collections.abc import Iterator

from boto3.dynamodb.conditions import Attr, ConditionBase

from commons.adapters.table_items import Item, TableItems, absent
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import Blocked, UnknownTeam
from commons.domain.team import Accepted

# S3's sequencers are hexadecimal numbers of differing length: the shorter is filled from the left
_SEQUENCER = 40


class DocumentItems(TableItems):
    def team(self, team: str) -> Accepted[TeamDocument]:
        """The team's last good document. Raises UnknownTeam if there never was one."""
        accepted = self.find_team(team)
        if accepted is None:
            raise UnknownTeam(
                f"No document of team {team} was ever accepted; upload one: commons team apply FILE"
            )
        return accepted

    def find_team(self, team: str) -> Accepted[TeamDocument] | None:
        item = self._get(f"TEAM#{team}", "DOCUMENT")
        return _accepted_team(item) if item else None

    def find_cluster(self, cluster_arn: str) -> Accepted[ClusterDocument] | None:
        item = self._get(f"CLUSTER#{cluster_arn}", "DOCUMENT")
        return _accepted_cluster(item) if item else None

    def get_team_document(self, team: str) -> TeamDocument:
        """Raises UnknownTeam if none was ever accepted."""
        return self.team(team).document

    def with_clusters(self, team: str) -> tuple[TeamDocument, dict[str, ClusterDocument]]:
        """The team's document, and those of its clusters that are registered, by ARN."""
        document = self.get_team_document(team)
        found = ((arn, self.get_cluster_document(arn)) for arn in document.clusters())
        return document, {arn: cluster for arn, cluster in found if cluster}

    def get_cluster_document(self, cluster_arn: str) -> ClusterDocument | None:
        """None if the cluster is not registered."""
        accepted = self.find_cluster(cluster_arn)
        return accepted.document if accepted else None

    def registered_cluster(self, cluster_arn: str) -> ClusterDocument:
        """Raises Blocked if the cluster is not registered."""
        if found := self.get_cluster_document(cluster_arn):
            return found
        raise Blocked(f"The cluster {cluster_arn} is not registered: commons cluster register FILE")

    def teams(self) -> Iterator[Accepted[TeamDocument]]:
        """Every team, for sweeps and lists: never on the path of one event."""
        return (_accepted_team(item) for item in self._of_kind("team"))

    def clusters(self) -> Iterator[Accepted[ClusterDocument]]:
        return (_accepted_cluster(item) for item in self._of_kind("cluster"))

    def keep(self, accepted: Accepted[ClusterDocument | TeamDocument]) -> list[str] | None:
        """Keep a good document. Returns the teams to look at again; None if a newer one is kept."""
        document = accepted.document
        if isinstance(document, ClusterDocument):
            cluster = self._get(f"CLUSTER#{document.cluster}", "DOCUMENT")
            touched = self.teams_of_cluster(document.cluster)
            return self._keep(f"CLUSTER#{document.cluster}", "cluster", accepted, cluster, touched)
        pk = f"TEAM#{document.team}"
        former = self._get(pk, "DOCUMENT")
        if former and not _newer(accepted, former):
            return None
        # first the links: a worker that dies in between is made good by the message's next try
        self._link(_accepted_team(former).document if former else None, document)
        return self._keep(pk, "team", accepted, former, [document.team])

    def _keep(
        self,
        pk: str,
        kind: str,
        accepted: Accepted[ClusterDocument | TeamDocument],
        former: Item | None,
        touched: list[str],
    ) -> list[str] | None:
        text = accepted.document.model_dump_json()
        # a worker that died before it asked leaves that to the next upload, if it is the same
        asked = bool(former and former.get("asked") and former["document"] == text)
        item = {
            **accepted.model_dump(exclude={"document"}),
            "pk": pk,
            "sk": "DOCUMENT",
            "kind": kind,
            "version": padded(accepted.version),
            "document": text,
            "state": getattr(accepted.document, "state", None),
            "asked": asked or None,
        }
        if not self._put(item, _is_newer(accepted)):
            return None
        return [] if asked else touched

    def note_asked(self, accepted: Accepted[ClusterDocument | TeamDocument]) -> None:
        """The teams it touches have been asked for: the same text need not ask again."""
        document = accepted.document
        whose = (
            f"CLUSTER#{document.cluster}"
            if isinstance(document, ClusterDocument)
            else f"TEAM#{document.team}"
        )
        this = Attr("key").eq(accepted.key) & Attr("version").eq(padded(accepted.version))
        self._set(whose, "DOCUMENT", {"asked": True}, this)

    def _link(self, old: TeamDocument | None, new: TeamDocument) -> None:
        """Let the team be found by each of its clusters and group names, and by no former one."""
        clusters = set(old.clusters() if old else []) - set(new.clusters())
        names = set(old.wanted_groups() if old else {}) - set(new.wanted_groups())
        sk = f"TEAM#{new.team}"
        puts: list[Item] = [{"pk": f"CLUSTER#{arn}", "sk": sk} for arn in new.clusters()]
        puts += [
            {"pk": f"GROUPNAME#{name}", "sk": sk, "role": role}
            for name, role in new.wanted_groups().items()
        ]
        gone = [(f"CLUSTER#{arn}", sk) for arn in clusters]
        gone += [(f"GROUPNAME#{name}", sk) for name in names]
        self._batch(puts, gone)

    def teams_of_cluster(self, cluster_arn: str) -> list[str]:
        """Teams with a namespace there, whether or not the cluster is registered."""
        return [_team_of(item) for item in self._below(f"CLUSTER#{cluster_arn}", "TEAM#")]


def _is_newer(accepted: Accepted[ClusterDocument | TeamDocument]) -> ConditionBase:
    """Sequencers order the uploads of one key; documents under two keys are ordered by time."""
    version = padded(accepted.version)
    same_key = Attr("key").eq(accepted.key) & Attr("version").lte(version)
    other_key = Attr("key").ne(accepted.key) & Attr("uploaded_at").lte(accepted.uploaded_at)
    return absent("pk") | same_key | other_key


def _newer(accepted: Accepted[ClusterDocument | TeamDocument], former: Item) -> bool:
    if former["key"] == accepted.key:
        return str(former["version"]) <= padded(accepted.version)
    return str(former["uploaded_at"]) <= accepted.uploaded_at


def padded(sequencer: str) -> str:
    return sequencer.upper().zfill(_SEQUENCER)


def _team_of(item: Item) -> str:
    return str(item["sk"]).removeprefix("TEAM#")


def _accepted_team(item: Item) -> Accepted[TeamDocument]:
    document = TeamDocument.model_validate_json(item["document"])
    return Accepted[TeamDocument](**{**item, "document": document})


def _accepted_cluster(item: Item) -> Accepted[ClusterDocument]:
    document = ClusterDocument.model_validate_json(item["document"])
    return Accepted[ClusterDocument](**{**item, "document": document})
