"""CSV files as AWS's script writes them, in both of its wordings."""

from collections.abc import Iterable, Sequence

_SUMMED = ",".join(f"{kind} utilization (hours)" for kind in ("Total", "Allocated", "Borrowed"))
SUMMARY_HEADERS = (
    ",,,Instance,NeuronCore,,,GPU,,,vCPU,,",
    f"Date,Namespace,Team,Type,{_SUMMED},{_SUMMED},{_SUMMED}",
)
_TASK = (
    "Date,Period Start,Period End,Namespace,Team,Task,Instance,Status,"
    + ",".join(["Total utilization (hours),Total utilization (count)"] * 3)
    + ",Priority class"
)
DETAILED_HEADERS = (",,,,,,NeuronCore,,GPU,,vCPU,,", _TASK)
LABELLED_HEADERS = (",,,,,,NeuronCore,,GPU,,vCPU,,", f"{_TASK},Labels")
_NEW = ("Cluster Name", "Report Type", "Report Date Generated", "Report Date Range (UTC)")
_OLD = ("ClusterName", "Type", "Date Generated", "Date Range (UTC)")


def day_row(
    day: str, namespace: str, team: str, gpu: Sequence[float], instance_type: str = "ml.p5.48xlarge"
) -> str:
    """`gpu`: total, allocated and borrowed hours; 24 vCPU-hours go with each."""
    cpu = [24 * hours for hours in gpu]
    hours = ",".join(f"{each:.2f}" for each in (0, 0, 0, *gpu, *cpu))
    return f"{day},{namespace},{team},{instance_type},{hours}"


def task_row(
    day: str, start: str, end: str, namespace: str, team: str, hours: float, gpus: float
) -> str:
    amounts = f"0.00,0.00,{hours:.2f},{gpus:.2f},{hours * 12:.2f},{gpus * 12:.2f}"
    return (
        f"{day},{start},{end},{namespace},{team},job-1,ml.p5.48xlarge,Running,{amounts},"
        "training-priority"
    )


def csv_file(
    rows: Iterable[str],
    days: tuple[str, str],
    *,
    cluster: str = "ml-cluster",
    headers: tuple[str, str] = SUMMARY_HEADERS,
    missing: Iterable[str] = (),
    filters: Iterable[str] = (),
    old: bool = False,
) -> str:
    kind = "Summary" if headers == SUMMARY_HEADERS else "Detailed"
    about = (cluster, f"{kind} Utilization Report", days[1], f"{days[0]} to {days[1]}")
    lines = ["Amazon SageMaker HyperPod"]
    lines += [
        f"{label}: {value}" for label, value in zip(_OLD if old else _NEW, about, strict=True)
    ]
    lines += filters
    if gaps := list(missing):
        lines += ["Missing data periods" if kind == "Summary" else "Missing Data Periods", *gaps]
    lines += headers
    # the older script wrote nothing where there was nothing
    lines += list(rows) or ([] if old else ["No Results"])
    return "\n".join(lines) + "\n"
