"""The accepted documents in the `teams` table, and how a team is found from what it names."""

from collections.abc import Iterator

from boto3.dynamodb.conditions import Attr

from commons.adapters.table_items import Item, TableItems, absent
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import UnknownTeam
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

    def teams(self) -> Iterator[Accepted[TeamDocument]]:
        """Every team, for sweeps and lists: never on the path of one event."""
        return (_accepted_team(item) for item in self._of_kind("team"))

    def clusters(self) -> Iterator[Accepted[ClusterDocument]]:
        return (_accepted_cluster(item) for item in self._of_kind("cluster"))

    def accept_team(self, accepted: Accepted[TeamDocument]) -> bool:
        """Keep it, unless a newer upload is already kept: then False."""
        pk = f"TEAM#{accepted.document.team}"
        return self._accept(pk, "team", accepted, {"state": accepted.document.state})

    def accept_cluster(self, accepted: Accepted[ClusterDocument]) -> bool:
        """Keep it, unless a newer upload is already kept: then False."""
        return self._accept(f"CLUSTER#{accepted.document.cluster}", "cluster", accepted, {})

    def link_team(self, old: TeamDocument | None, new: TeamDocument) -> None:
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

    def _accept[Document: (ClusterDocument, TeamDocument)](
        self, pk: str, kind: str, accepted: Accepted[Document], more: Item
    ) -> bool:
        values = accepted.model_dump(exclude={"document"})
        version = padded(accepted.version)
        text = accepted.document.model_dump_json()
        newer = (
            absent("pk")
            | (Attr("key").eq(accepted.key) & Attr("version").lte(version))
            | (Attr("key").ne(accepted.key) & Attr("uploaded_at").lte(accepted.uploaded_at))
        )
        key = {"pk": pk, "sk": "DOCUMENT", "kind": kind}
        return self._put({**key, **values, "version": version, "document": text, **more}, newer)


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
