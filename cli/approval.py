"""`commons approval`: what waits for somebody's yes, and the yes or no to it."""

from typing import Annotated, Any

import typer

from cli import api, output

app = typer.Typer(no_args_is_help=True, help="What waits for your yes, or for somebody else's.")
Id = Annotated[str, typer.Argument(help="As commons approval list shows it.")]
Comment = Annotated[str | None, typer.Option(help="Why; it is kept, and told to who asked.")]


@app.command("list")
def list_(
    ended: Annotated[
        bool, typer.Option("--ended", help="What was decided or has expired.")
    ] = False,
    as_json: output.AsJson = False,
) -> None:
    """What you asked for, and what you may decide."""
    found = api.get("approvals", **({"ended": "true"} if ended else {}))
    if as_json:
        output.print_json(found)
        return
    columns = ["id", "what", "state", "asked by", "until", "decided by", "comment"]
    rows = [
        (
            each["id"],
            f"{each['kind'].replace('_', ' ')} {each['subject']}: {each['summary']}",
            each["state"],
            each["requested_by"],
            each["open_until"],
            each["decided_by"],
            each["comment"],
        )
        for each in found
    ]
    output.print_table("Approvals", columns, rows)


@app.command()
def approve(id_: Id, comment: Comment = None, as_json: output.AsJson = False) -> None:
    """Let it happen. Nobody approves what they asked for themselves."""
    _decide(id_, "approve", comment, as_json)


@app.command()
def reject(id_: Id, comment: Comment = None, as_json: output.AsJson = False) -> None:
    """Let it not happen."""
    _decide(id_, "reject", comment, as_json)


def _decide(approval: str, verb: str, comment: str | None, as_json: bool) -> None:
    said = None if comment is None else {"comment": comment}
    found: dict[str, Any] = api.post("approvals", approval, verb, body=said)
    if as_json:
        output.print_json(found)
        return
    what = f"{found['kind'].replace('_', ' ')} {found['subject']}"
    output.console.print(f"{what}: {found['state']} by {found['decided_by']}", highlight=False)
