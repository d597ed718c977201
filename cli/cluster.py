"""`commons cluster`."""

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from cli import cluster_access, cluster_checks, output, stack, team_view, uploads
from cli.errors import Failure
from commons.adapters.team_table import TeamTable
from commons.domain.documents import ClusterDocument
from commons.domain.names import account_of, cluster_id, region_of
from commons.domain.status import iso

app = typer.Typer(no_args_is_help=True, help="Clusters: register them, and what is known of them.")
File = Annotated[Path, typer.Argument(help="A cluster document, YAML or JSON.")]
Name = Annotated[str | None, typer.Argument(help="ARN, the id at its end, or name; none: all.")]
Wait = Annotated[bool, typer.Option("--wait", help="Until its teams are reconciled.")]
Timeout = Annotated[float, typer.Option(help="Seconds to wait at most.")]


@app.command()
def register(
    file: File, wait: Wait = False, timeout: Timeout = 600, as_json: output.AsJson = False
) -> None:
    """Check a cluster, let the product's two roles in, and upload its document.

    Run it again after a change of the document, or after the stack was made anew.
    """
    document = uploads.of_kind(file, uploads.read_files([file])[file], ClusterDocument)
    table = team_view.team_table()
    found = _checked(document)
    with output.progress(f"Letting the product into {document.eks_cluster}"):
        done = cluster_access.let_in(
            document, stack.output("ClusterReaderRole"), stack.output("ClusterWriterRole")
        )
        cluster_access.apply_rules(document)
    started = iso(datetime.now(UTC))
    key, etag = uploads.upload(file, document)
    uploads.await_answer(table, document, key, etag)
    if wait:
        for team in table.teams_of_cluster(document.cluster):
            uploads.await_reconciled(table, team, started, timeout)
    _tell_registered(document, found, done, as_json)


@app.command("list")
def list_(as_json: output.AsJson = False) -> None:
    """Every registered cluster."""
    show(None, as_json)


@app.command()
def show(cluster: Name = None, as_json: output.AsJson = False) -> None:
    """One registered cluster with its teams, or all."""
    table = team_view.team_table()
    known = [accepted.document for accepted in table.clusters()]
    chosen = [each for each in known if cluster in (None, *_names(each))]
    if cluster and not chosen:
        raise Failure(f"There is no registered cluster {cluster}; see: commons cluster list")
    views = [_view(table, document) for document in chosen]
    if as_json:
        output.print_json(views[0] if cluster else views)
        return
    columns = ["name", "cluster", "eks_cluster", "mode", "overcommit", "teams"]
    rows = [[*(v[c] for c in columns[:-1]), ", ".join(v["teams"])] for v in views]
    output.print_table("Clusters", columns, rows)


def _names(document: ClusterDocument) -> tuple[str, ...]:
    return (document.cluster, cluster_id(document.cluster), document.name)


def _view(table: TeamTable, document: ClusterDocument) -> dict[str, Any]:
    place = {"account": account_of(document.cluster), "region": region_of(document.cluster)}
    teams = sorted(table.teams_of_cluster(document.cluster))
    return {**document.model_dump(exclude={"kind"}), **place, "teams": teams}


def _checked(document: ClusterDocument) -> list[cluster_checks.Check]:
    """Raises Failure with every problem; warnings are only told."""
    sagemaker, eks = (
        cluster_access.regional(service, document.cluster) for service in ("sagemaker", "eks")
    )
    with output.progress(f"Checking cluster {document.name}"):
        found = list(cluster_checks.checks(document, sagemaker, eks))
    problems = [f"{c.name}: {c.found}; {c.todo}" for c in found if c.result == "problem"]
    if problems:
        raise Failure("\n".join([f"{document.name} cannot be registered:", *problems]))
    return found


def _tell_registered(
    document: ClusterDocument, found: list[cluster_checks.Check], done: list[str], as_json: bool
) -> None:
    if as_json:
        checked = [asdict(check) for check in found]
        output.print_json(uploads.said(document, result="accepted", checks=checked, done=done))
        return
    rows = [[check.name, check.result, check.found, check.todo] for check in found]
    output.print_table(
        f"{document.name} is registered", ["check", "result", "found", "what to do"], rows
    )
