"""Uploads documents to the configuration bucket and waits for the answer of the stack."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from cli import output, stack
from cli.errors import BadInput, Failure
from commons.adapters.document_reader import Document, read_document
from commons.adapters.refusals import Refusals, id_of
from commons.adapters.team_table import TeamTable
from commons.domain.chargeback_rules import ChargebackRules
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import RefusedInput
from commons.domain.names import cluster_id
from commons.domain.team import TeamStatus
from commons.domain.uploads import subject_of

# what the template has by itself, for a check without any account
DEFAULT_PREFIX = "gpu-"
_COMMANDS = {
    "Cluster": "commons cluster register",
    "Team": "commons team apply",
    "ChargebackRules": "commons chargeback apply",
}
_PAUSE = 0.5
_QUIET_SECONDS = 5
# an answer that did not come by then is a fault
ANSWER_SECONDS = 120


def group_prefix() -> str:
    """The stack's prefix of directory groups, else the template's own."""
    try:
        return stack.output("GroupPrefix")
    except (Failure, BotoCoreError, ClientError):
        return DEFAULT_PREFIX


def read_files(files: list[Path]) -> dict[Path, Document]:
    """Every document, or BadInput with every fault of every file."""
    prefix = group_prefix()
    documents: dict[Path, Document] = {}
    faults: list[str] = []
    for file in files:
        try:
            documents[file] = read_document(str(file), _bytes(file), prefix)
        except RefusedInput as refused:
            faults += [f"{file}: {reason}" for reason in refused.reasons]
    if faults:
        raise BadInput("\n".join(["not a document that can be accepted:", *faults]))
    return documents


def upload(file: Path, document: Document) -> tuple[str, str]:
    """Key and ETag under which the document now lies."""
    key = document_key(document)
    # an earlier refusal of the same text must not be taken for the answer
    Refusals(stack.table("TeamTable")).forget_document(key)
    answer = stack.client("s3").put_object(
        Bucket=stack.output("ConfigurationBucket"), Key=key, Body=_bytes(file)
    )
    return key, str(answer["ETag"]).strip('"')


def of_kind[Kind: ClusterDocument | TeamDocument | ChargebackRules](
    file: Path, document: Document, kind: type[Kind]
) -> Kind:
    """The document. Raises BadInput with the command that takes it, if it is of another kind."""
    if isinstance(document, kind):
        return document
    command = _COMMANDS[document.kind]
    raise BadInput(f"{file} is a {document.kind} document; run: {command} {file}")


def document_key(document: Document) -> str:
    match document:
        case ClusterDocument():
            return f"documents/clusters/{cluster_id(document.cluster)}.yaml"
        case TeamDocument():
            return f"documents/teams/{document.team}.yaml"
    return f"documents/rules/{document.version}.yaml"


def await_answer(table: TeamTable, document: Document, key: str, etag: str) -> None:
    """Returns when it is accepted. Raises BadInput with the faults if the stack refuses it."""
    refusals = Refusals(stack.table("TeamTable"))

    def answered() -> bool:
        refused = refusals.find(id_of("document", key, {}))
        if refused and refused["source"].get("etag") == etag:
            raise BadInput("\n".join([f"{key} is refused:", *refused["reasons"]]))
        return _etag_in_force(table, document) == etag

    with output.progress(f"Waiting until {key} is accepted"):
        wait_until(answered, ANSWER_SECONDS, f"no answer to {key}; see: commons doctor")


def _etag_in_force(table: TeamTable, document: Document) -> str | None:
    match document:
        case ClusterDocument():
            cluster = table.find_cluster(document.cluster)
            return cluster.etag if cluster else None
        case TeamDocument():
            team = table.find_team(document.team)
            return team.etag if team else None
    return table.rules_etag(document.version)


def await_reconciled(table: TeamTable, team: str, since: str, seconds: float) -> TeamStatus:
    """The team's status once nothing runs for it any more.

    A reconcile before `since` (ISO 8601) does not count. Raises Failure after `seconds`.
    """
    seen: list[float] = []

    def settled() -> bool:
        status = table.status(team)
        if status.execution_arn is not None:
            seen.clear()
            return False
        if (status.reconciled_at or "") >= since:
            return True
        # a document that changed nothing starts nothing
        seen.append(time.monotonic())
        return status.phase is not None and seen[-1] - seen[0] > _QUIET_SECONDS

    with output.progress(f"Waiting until team {team} is reconciled"):
        otherwise = f"team {team} is still converging; see: commons team show {team}"
        wait_until(settled, seconds, otherwise)
    return table.status(team)


def wait_until(done: Callable[[], bool], seconds: float, otherwise: str) -> None:
    """Ask again and again; raises Failure with the sentence after that many seconds."""
    until = time.monotonic() + seconds
    while not done():
        if time.monotonic() > until:
            raise Failure(f"After {seconds:g} seconds: {otherwise}")
        time.sleep(_PAUSE)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from error


def said(document: Document, **more: Any) -> dict[str, Any]:
    """What a program is told about one document."""
    return {"kind": document.kind, **subject_of(document), **more}
