"""`commons doctor`: what waits for a person, and what the account lacks."""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from boto3.dynamodb.conditions import Key
from rich.text import Text

from cli import account_checks, dead_letters, errors, output, stack
from cli.account_checks import Finding
from cli.policy_checks import policies
from commons.adapters.refusals import Refusals
from commons.domain.documents import ClusterDocument

app = typer.Typer(help="What waits for a person, and what the account lacks.")


@app.callback(invoke_without_command=True)
def doctor(context: typer.Context, as_json: output.AsJson = False) -> None:
    """Look at everything; exit code 1 if something waits for a person."""
    if context.invoked_subcommand:
        return
    with output.progress("Looking at queues, refused inputs, teams and the account"):
        refused = [_refusal(item) for item in Refusals(stack.table("TeamTable")).all()]
        letters = {name: dead_letters.waiting(url) for name, url in dead_letters.queues().items()}
        clusters = _clusters()
        findings = [*_letters(letters), *_teams(), *account_checks.account(clusters)]
        findings += [policies(ClusterDocument.model_validate(each)) for each in clusters]
    if as_json:
        found = [asdict(finding) for finding in findings]
        output.print_json({"checks": found, "refused": refused, "dead_letters": letters})
    else:
        _show(findings, refused)
    if refused or any(finding.status == "problem" for finding in findings):
        raise typer.Exit(errors.FAILURE)


@app.command()
def redrive(
    ids: Annotated[list[str] | None, typer.Argument(help="Refused inputs; all if none.")] = None,
    as_json: output.AsJson = False,
) -> None:
    """Send refused inputs again, and put dead letters back into their queues."""
    refusals = Refusals(stack.table("TeamTable"))
    known = {item["id"]: item for item in refusals.all()}
    if unknown := set(ids or []) - known.keys():
        raise errors.BadInput(f"no refused input {', '.join(sorted(unknown))}; see: commons doctor")
    chosen = ids or list(known)
    for refusal_id in chosen:
        # forgotten first: if it is refused again, the new record must stay
        refusals.forget(refusal_id)
        dead_letters.send_again(known[refusal_id]["source"])
    moved = 0 if ids else sum(dead_letters.redrive(name) for name in dead_letters.queues())
    if as_json:
        output.print_json({"sent_again": chosen, "moved": moved})
    else:
        output.console.print(f"{len(chosen)} refused inputs sent again, {moved} dead letters moved")


def _refusal(item: dict[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in ("id", "what", "name", "reasons", "at")}


def _letters(letters: dict[str, int]) -> list[Finding]:
    todo = "commons local logs or CloudWatch tell why; then: commons doctor redrive"
    return [
        Finding(name, "problem" if count else "ok", f"{count} messages", todo if count else "")
        for name, count in letters.items()
    ]


def _teams() -> list[Finding]:
    """One finding for each team that is not ready, naming what its status says."""
    findings = []
    for item in _by_kind("team"):
        team = item["pk"].removeprefix("TEAM#")
        status = stack.table("TeamTable").get_item(Key={"pk": item["pk"], "sk": "STATUS"})
        phase = status.get("Item", {}).get("phase", "never reconciled")
        if phase != "Ready":
            todo = f"commons team show {team}"
            findings.append(Finding(f"team {team}", "problem", phase, todo))
    return findings or [Finding("teams", "ok", "all are ready")]


def _clusters() -> list[dict[str, Any]]:
    return [stack.document(item) for item in _by_kind("cluster")]


def _by_kind(kind: str) -> list[dict[str, Any]]:
    return stack.query_all(
        stack.table("TeamTable"),
        IndexName="by_kind",
        KeyConditionExpression=Key("kind").eq(kind),
    )


def _show(findings: list[Finding], refused: list[dict[str, Any]]) -> None:
    styles = {"ok": "green", "problem": "red", "skipped": "dim"}
    marks = {status: Text(status, style=style) for status, style in styles.items()}
    rows = [(f.check, marks[f.status], f.message, f.todo) for f in findings]
    output.print_table("Checks", ["check", "", "found", "what to do"], rows)
    output.print_table(
        "Refused inputs",
        ["id", "what", "name", "why", "at"],
        [(r["id"], r["what"], r["name"], "\n".join(r["reasons"]), r["at"]) for r in refused],
    )
    if refused:
        output.console.print("Correct the cause, then: commons doctor redrive [ID ...]")
