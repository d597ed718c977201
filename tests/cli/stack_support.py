"""A deployed stack for commands: its tables and bucket in moto, its functions run in between."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest
from typer.testing import CliRunner

from cli import errors, stack
from cli.main import app
from commons.adapters.team_table import TeamTable
from tests.adapters.team_tables import team_table

BUCKET = "configuration"
MACHINE = "arn:aws:states:us-west-2:111122223333:stateMachine:gpu-commons-reconcile-team"


@dataclass
class Result:
    code: int
    out: str
    error: str = ""

    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Deployed:
    raw: Any
    clients: dict[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> TeamTable:
        return TeamTable(self.raw)

    def run(self, *arguments: str) -> Result:
        """Exit code, standard output and the sentence of an error, as `commons` gives them."""
        result = CliRunner().invoke(app, arguments)
        if result.exception is None or isinstance(result.exception, SystemExit):
            return Result(result.exit_code, result.stdout)
        assert isinstance(result.exception, Exception)
        known = errors.explain(result.exception)
        if known is None:
            raise result.exception
        return Result(known[0], result.stdout, known[1])


@contextmanager
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-2")
    with team_table() as raw:
        s3 = boto3.client("s3")
        place = {"LocationConstraint": "us-west-2"}
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration=place)
        cloud = Deployed(raw, {"s3": s3})
        outputs = {
            "ConfigurationBucket": BUCKET,
            "GroupPrefix": "gpu-",
            "ReconcileTeam": MACHINE,
            "ClusterReaderRole": "arn:aws:iam::111122223333:role/gpu-commons-cluster-reader",
            "ClusterWriterRole": "arn:aws:iam::111122223333:role/gpu-commons-cluster-writer",
        }
        monkeypatch.setattr(stack, "output", outputs.__getitem__)
        monkeypatch.setattr(stack, "table", lambda _: raw)
        monkeypatch.setattr(stack, "client", cloud.clients.__getitem__)
        yield cloud
