"""`commons chargeback apply`: uploads rules, and says from which month they hold."""

from pathlib import Path
from typing import Annotated

import typer

from cli import output, stack, uploads
from commons.adapters.team_table import TeamTable
from commons.domain.chargeback_rules import ChargebackRules

File = Annotated[Path, typer.Argument(help="Chargeback rules, YAML or JSON.")]


def apply(file: File, as_json: output.AsJson = False) -> None:
    """Upload chargeback rules and wait until they are accepted; a version never changes."""
    document = uploads.of_kind(file, uploads.read_files([file])[file], ChargebackRules)
    key, etag = uploads.upload(file, document)
    uploads.await_answer(TeamTable(stack.table("TeamTable")), document, key, etag)
    told = uploads.said(document, valid_from=document.valid_from, key=key, result="accepted")
    if as_json:
        output.print_json(told)
    else:
        output.console.print(f"{document.version} holds from {document.valid_from}")
