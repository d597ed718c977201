"""The steps of publish_chargeback in the order of the state machine, in this process, on moto."""

import importlib
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import Any

import boto3

from commons import bootstrap
from commons.adapters.team_table import TeamTable
from commons.adapters.usage_table import UsageTable
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import CommonsError
from commons.domain.team import Accepted
from commons.domain.usage import QuotaVersion
from local.cost_report import Execution, write_report

REPORTS, CHARGEBACK = "acme-cost-reports", "acme-chargeback"
CLUSTER = "arn:aws:sagemaker:us-west-2:444455556666:cluster/ab12cd34ef56"
OTHER = "arn:aws:sagemaker:us-west-2:444455556666:cluster/zz99yy88xx77"
MACHINE = "arn:aws:states:us-west-2:111122223333:stateMachine:gpu-commons-publish-chargeback"
PERIOD = "2026-10"
NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
CONTEXT = SimpleNamespace(
    function_name="f",
    memory_limit_in_mb=512,
    invoked_function_arn="arn:aws:lambda:us-west-2:111122223333:function:f",
    aws_request_id="r",
)


def execution(number: int) -> Execution:
    return Execution(
        f"9b6b32ef-0000-3d10-9448-{number:012}", datetime(2026, 10, number, 23, 48, 2, tzinfo=UTC)
    )


def prepare() -> None:
    """Tables and buckets as the template has them."""
    dynamodb, s3 = boto3.client("dynamodb"), boto3.client("s3")
    for name in ("teams", "usage", "chargeback"):
        keys = ["pk", "sk"] + (["kind"] if name != "usage" else [])
        index = {
            "IndexName": "by_kind",
            "KeySchema": [
                {"AttributeName": "kind", "KeyType": "HASH"},
                {"AttributeName": "pk", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
        dynamodb.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": k, "AttributeType": "S"} for k in keys],
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            **({"GlobalSecondaryIndexes": [index]} if name != "usage" else {}),
        )
    for bucket in (REPORTS, CHARGEBACK):
        where = {"LocationConstraint": "us-west-2"}
        s3.create_bucket(Bucket=bucket, CreateBucketConfiguration=where)


class Events:
    """Keeps what would go to the bus."""

    def __init__(self) -> None:
        self.published: list[Any] = []

    def publish(self, events: list[Any]) -> None:
        self.published += events


class Chain:
    """A stack with nothing in it but what a test puts there."""

    def __init__(self) -> None:
        self.events = Events()
        self.number = 0

    @property
    def s3(self) -> Any:
        return boto3.client("s3")

    @property
    def usage(self) -> UsageTable:
        return UsageTable(boto3.resource("dynamodb").Table("usage"))

    @property
    def teams(self) -> TeamTable:
        return TeamTable(boto3.resource("dynamodb").Table("teams"))

    def register(
        self, cluster: str = CLUSTER, eks_cluster: str = "ml-shared", usage_source: Any = "ledger"
    ) -> None:
        document = ClusterDocument(
            kind="Cluster",
            cluster=cluster,
            name="shared",
            eks_cluster=eks_cluster,
            usage_source=usage_source,
        )
        self.teams.keep(self._accepted(document))

    def onboard(
        self,
        team: str,
        devices: int = 0,
        strategy: str = "LendAndBorrow",
        cluster: str = CLUSTER,
        instance_type: str = "ml.p5.48xlarge",
        namespace: str | None = None,
    ) -> str:
        """A team whose namespace has had its quota since before the period."""
        name = namespace or f"hyperpod-ns-{team}"
        centers = [{"code": f"cc-{team}", "valid_from": "2026-01-01"}]
        document = TeamDocument(kind="Team", team=team, title=team, cost_centers=centers)
        self.teams.keep(self._accepted(document))
        claim = {"pk": f"NAMESPACE#{cluster}#{name}", "sk": "CLAIM", "team": team, "project": ""}
        boto3.resource("dynamodb").Table("teams").put_item(Item=claim)
        since = datetime(2026, 9, 1, tzinfo=UTC)
        quota = QuotaVersion(
            effective_from=since, version=1, resources={instance_type: devices}, strategy=strategy
        )
        self.usage.record_quota(cluster, name, quota)
        return name

    def used(self, namespace: str, day: date, own: int, borrowed: int = 0, **more: Any) -> None:
        cluster = more.get("cluster", CLUSTER)
        boto3.resource("dynamodb").Table("usage").put_item(
            Item={
                "pk": f"NS#{cluster}#{namespace}",
                "sk": f"DAY#{day.isoformat()}#{more.get('instance_type', 'ml.p5.48xlarge')}",
                "held": own + borrowed,
                "own": own,
                "borrowed": borrowed,
                "as_of": NOW.isoformat(),
            }
        )

    def report(self, rows: list[dict[str, Any]], number: int, files: int = 3) -> list[str]:
        """Deliver an execution; the keys of its two manifests."""
        return write_report(self.s3, REPORTS, "cur2/", PERIOD, execution(number), rows, files)

    def deliver(self, key: str, sequencer: str = "0A") -> str:
        """One object event of a manifest; what the state machine would end as."""
        self.number += 1
        owner = f"{MACHINE.replace('stateMachine', 'execution')}:{self.number}"
        detail = {"bucket": {"name": REPORTS}, "object": {"key": key, "sequencer": sequencer}}
        event = {"source": "aws.s3", "detail-type": "Object Created", "detail": detail}
        delivery = {"bucket": REPORTS, "key": key, "etag": "", "sequencer": sequencer}
        names: dict[str, Any] = {"report": {}, "run": {}, "execution": owner}

        def act() -> str:
            read = self.step("read_manifest", delivery=delivery, execution=owner)
            names["report"] = read["report"]
            return self.work(names) if read["work"] else str(read["reason"])

        return self.ended(act, names, event)

    def again(self, report_id: str | None = None) -> str:
        """A report once more, else the current one, as a command or a correction asks for it."""
        self.number += 1
        owner = f"{MACHINE.replace('stateMachine', 'execution')}:{self.number}"
        report = {"period": PERIOD, "report_id": report_id or self.current()["report_id"]}
        names: dict[str, Any] = {"report": report, "run": {}, "execution": owner}
        return self.ended(lambda: self.work(names), names, {"again": report})

    def work(self, names: dict[str, Any]) -> str:
        """From "Take the inputs" on; `names` gets the run."""
        taken = self.step("take_inputs", report=names["report"], execution=names["execution"])
        names["run"] = taken["run"]
        if not taken["work"]:
            return str(taken["reason"])
        for batch in self.step("plan_batches", report=names["report"])["batches"]:
            self.step("summarise_files", report=names["report"], batch=batch)
        for name in ("allocate_costs", "write_exports", "publish_run"):
            self.step(name, **names)
        return "published"

    def ended(self, act: Callable[[], str], names: dict[str, Any], source: dict[str, Any]) -> str:
        """What `act` ends as; what it raises goes to record_failure."""
        try:
            return act()
        except CommonsError as error:
            kind = type(error).__name__
            cause = json.dumps({"errorType": kind, "errorMessage": str(error)})
            failed = {"error": {"Error": kind, "Cause": cause}, **names}
            self.step("record_failure", **failed, machine=MACHINE, input=source)
            return kind

    @staticmethod
    def step(name: str, **event: Any) -> Any:
        # payloads go through JSON, as they do in the state machine
        payload = json.loads(json.dumps(event))
        return importlib.import_module(f"chargeback.{name}").handler(payload, CONTEXT)

    def current(self) -> dict[str, Any]:
        table = bootstrap.chargeback_table()
        pointer = table.current(PERIOD) or {}
        return next((r for r in table.runs() if r["run_id"] == pointer.get("run_id")), {})

    def runs(self) -> dict[str, str]:
        return {run["run_id"]: run["status"] for run in bootstrap.chargeback_table().runs()}

    def refusals(self) -> list[dict[str, Any]]:
        return list(bootstrap.refusals().all())

    def amounts(self) -> dict[tuple[str, str, str], Any]:
        """Amount by cluster, namespace and component, of the current run."""
        records = bootstrap.chargeback_table().records(self.current()["run_id"])
        return {
            (r.key.cluster, r.key.namespace, name): part.amount
            for r in records
            for name, part in r.components.items()
        }

    @staticmethod
    def _accepted(document: Any) -> Any:
        when = NOW.isoformat()
        return Accepted(
            document=document, key="k", version="1", etag="e", uploaded_at=when, accepted_at=when
        )
