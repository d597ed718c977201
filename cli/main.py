"""`commons`: joins the commands of each area; every one of them takes `--help`."""

import sys

import typer

from cli import chargeback, cluster, directory, doctor, errors, local, team, usage

# what a shell calls a program that was ended by the person before it
INTERRUPTED = 130

app = typer.Typer(
    name="commons",
    help="GPU Commons: a shared HyperPod cluster, fair and accountable.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for area in (local, directory, cluster, team, usage, chargeback):
    app.add_typer(area.app, name=area.__name__.rpartition(".")[2])
app.add_typer(doctor.app, name="doctor")


def run() -> None:
    try:
        code = typer.main.get_command(app)(standalone_mode=False)
    except typer.Abort:
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001 - report() raises again what it does not know
        code = errors.report(error)
    sys.exit(code or 0)
