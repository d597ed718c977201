"""Plays of the steps of publish_chargeback, on reports of few lines."""

import itertools
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from local import settings
from local.cost_report import Execution, company_rows, write_report
from local.cost_rows import Nodes
from tests.least_privilege.play import play
from tests.least_privilege.world import World
from tests.stories.company import CLUSTER

STEPS = (
    "TakeInputs",
    "PlanBatches",
    "SummariseFiles",
    "AllocateCosts",
    "WriteExports",
    "PublishRun",
)
_numbers = itertools.count(1)


def delivered(world: World) -> dict[str, Any]:
    """A new report; what the state machine gives to its first step."""
    number = next(_numbers)
    bucket = world.cloud.outputs["CostReportBucket"]
    nodes = Nodes(CLUSTER, "ml.p5.48xlarge", 1, Decimal("98.32"))
    rows = company_rows([nodes], [date(2026, 3, 4)], {}, False)
    written = datetime(2026, 4, 1 + number // 86400, tzinfo=UTC).timestamp() + number
    run = Execution(f"5e5e0000-0000-4000-8000-{number:012}", datetime.fromtimestamp(written, UTC))
    key = write_report(world.client("s3"), bucket, "", "2026-03", run, rows, files=1)[0]
    found = world.client("s3").head_object(Bucket=bucket, Key=key)
    delivery = {"bucket": bucket, "key": key, "etag": found["ETag"].strip('"')}
    execution = f"{executions(world)}:played{number}"
    return {"delivery": {**delivery, "sequencer": f"{number:016X}"}, "execution": execution}


def executions(world: World) -> str:
    return world.name("PublishChargeback").replace(":stateMachine:", ":execution:")


def run_until(world: World, step: str) -> dict[str, Any]:
    """A run for which everything before `step` is done; what is given to that step."""
    delivery = delivered(world)
    answer = world.ask("ReadManifestFunction", delivery)
    event = {"report": answer["report"], "execution": delivery["execution"], "batch": 0}
    for name in itertools.takewhile(lambda each: each != step, STEPS):
        event |= {k: v for k, v in world.ask(f"{name}Function", event).items() if k == "run"}
    return event


@play("ReadManifestFunction")
def a_report_that_is_new(world: World) -> dict[str, Any]:
    return delivered(world)


@play("ReadManifestFunction")
def a_report_that_another_execution_works_on(world: World) -> dict[str, Any]:
    event = delivered(world)
    world.ask("ReadManifestFunction", event)
    return {**event, "execution": f"{executions(world)}:another{next(_numbers)}"}


@play("TakeInputsFunction")
def inputs_that_make_a_run(world: World) -> dict[str, Any]:
    return run_until(world, "TakeInputs")


@play("TakeInputsFunction")
def a_run_that_another_execution_makes(world: World) -> dict[str, Any]:
    event = run_until(world, "PlanBatches")
    return {**event, "execution": f"{executions(world)}:another{next(_numbers)}"}


@play("PlanBatchesFunction")
def files_that_are_read_together(world: World) -> dict[str, Any]:
    return run_until(world, "PlanBatches")


@play("PlanBatchesFunction")
def a_report_that_is_summed_up(world: World) -> dict[str, Any]:
    return run_until(world, "AllocateCosts")


@play("SummariseFilesFunction")
def the_sums_of_a_batch(world: World) -> dict[str, Any]:
    return run_until(world, "SummariseFiles")


@play("AllocateCostsFunction")
def a_bill_that_is_handed_out(world: World) -> dict[str, Any]:
    return run_until(world, "AllocateCosts")


@play("AllocateCostsFunction")
def a_bill_of_which_an_attempt_left_something(world: World) -> dict[str, Any]:
    event = run_until(world, "AllocateCosts")
    world.ask("AllocateCostsFunction", event)
    bucket, run = world.cloud.outputs["ChargebackBucket"], event["run"]["run_id"]
    s3 = world.client("s3")
    listed = s3.list_objects_v2(Bucket=bucket, Prefix="lines/")["Contents"]
    key = next(each["Key"] for each in listed if run in each["Key"])
    s3.put_object(Bucket=bucket, Key=f"{key.rpartition('/')[0]}/left-over.parquet", Body=b"x")
    return event


@play("WriteExportsFunction")
def the_files_of_a_run(world: World) -> dict[str, Any]:
    return run_until(world, "WriteExports")


@play("PublishRunFunction")
def a_run_that_becomes_the_current_one(world: World) -> dict[str, Any]:
    return run_until(world, "PublishRun")


@play("PublishRunFunction")
def a_run_that_takes_the_place_of_another(world: World) -> dict[str, Any]:
    world.ask("PublishRunFunction", run_until(world, "PublishRun"))
    return run_until(world, "PublishRun")


@play("RecordFailureFunction")
def a_report_that_cannot_be_read(world: World) -> dict[str, Any]:
    return failed(world, run_until(world, "PlanBatches"))


@play("RecordFailureFunction")
def a_report_whose_inputs_cannot_be_taken(world: World) -> dict[str, Any]:
    return failed(world, run_until(world, "TakeInputs"))


def failed(world: World, event: dict[str, Any]) -> dict[str, Any]:
    found = {"bucket": {"name": "b"}, "object": {"key": "k"}}
    return {
        **event,
        "error": {"Error": "RefusedInput", "Cause": "{}"},
        "machine": world.name("PublishChargeback"),
        "input": {"detail": found, "region": settings.REGION},
    }
