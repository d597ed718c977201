"""A team on one cluster, its table in moto and AWS behind the real clients."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from commons.adapters.identity_store import IdentityStore
from commons.adapters.member_table import MemberTable
from commons.adapters.team_table import TeamTable
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.membership import Member
from commons.domain.names import namespace_name
from commons.domain.team import Accepted
from tests.adapters.team_tables import team_table
from tests.directory_fake import STORE, DirectoryFake

CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
OTHER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/zz12cd34ef56"
GROUPS = {"viewer": ["gpu-alpha-viewers"], "member": ["gpu-alpha"], "lead": ["gpu-alpha-leads"]}
RESOURCES = [{"instance_type": "ml.p5.48xlarge", "accelerators": 4}]


class Context:
    """What Lambda hands to a handler."""

    function_name = "reconcile"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-west-2:111122223333:function:reconcile"
    aws_request_id = "request"


class Table:
    """The `teams` table, with what a test wants to put in and look up."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.teams = TeamTable(raw)
        self.members = MemberTable(raw)
        self._uploads = 0

    def team(self, team: str = "alpha", **fields: Any) -> TeamDocument:
        known = {"kind": "Team", "team": team, "title": team, "groups": GROUPS}
        spec = {"cluster": CLUSTER, "quota": {"resources": RESOURCES}}
        document = TeamDocument.model_validate({**known, "namespaces": [spec], **fields})
        self._keep(document)
        return document

    def cluster(self, arn: str = CLUSTER, **fields: Any) -> ClusterDocument:
        known = {"kind": "Cluster", "cluster": arn, "name": "research", "eks_cluster": "hp-eks"}
        document = ClusterDocument.model_validate({**known, **fields})
        self._keep(document)
        return document

    def _keep(self, document: ClusterDocument | TeamDocument) -> None:
        """Each upload is newer than those before."""
        self._uploads += 1
        about = {"key": "k", "etag": "e", "uploaded_at": "t", "accepted_at": "t"}
        version = str(self._uploads)
        kept = Accepted[ClusterDocument | TeamDocument](document=document, version=version, **about)
        assert self.teams.keep(kept) is not None

    def put_members(self, *members: Member, team: str = "alpha") -> None:
        for member in members:
            key = {"pk": f"TEAM#{team}", "sk": f"MEMBER#{member.user_id}"}
            self.raw.put_item(Item={**key, **member.model_dump()})

    def states(self, team: str = "alpha") -> dict[str, str]:
        """State by user id."""
        return {key: each.state for key, each in self.members.members(team).items()}

    def every_key(self) -> set[tuple[str, str]]:
        return {(item["pk"], item["sk"]) for item in self.raw.scan()["Items"]}


@contextmanager
def tables() -> Iterator[Table]:
    with team_table() as raw:
        yield Table(raw)


def directory(fake: DirectoryFake) -> IdentityStore:
    return IdentityStore(fake.client, STORE)


def step(project: str | None = None, cluster: str = CLUSTER) -> dict[str, Any]:
    """Input of a namespace's facet."""
    name = namespace_name("alpha", project)
    return {"team": "alpha", "cluster": cluster, "namespace": name, "project": project}
