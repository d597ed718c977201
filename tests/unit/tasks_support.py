"""Builders of task events for tests."""

from datetime import UTC, datetime
from typing import Any

CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/abcdef123456"
NAMESPACE = "hyperpod-ns-vision"
P5 = "ml.p5.48xlarge"
NOW = datetime(2026, 10, 10, tzinfo=UTC)


def at(text: str) -> datetime:
    """`10:30` on 2 October 2026, or a whole ISO time without its Z."""
    return datetime.fromisoformat((text if "T" in text else f"2026-10-02T{text}:00") + "Z")


def detail(state: str, time: str, **changes: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "schemaVersion": "1",
        "clusterArn": CLUSTER,
        "namespace": NAMESPACE,
        "team": "vision",
        "workload": {"name": "train-1", "uid": "uid-1", "resourceVersion": "1000"},
        "owner": {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "owner-1"},
        "queueName": "hyperpod-ns-vision-localqueue",
        "priorityClass": "training-priority",
        "previousState": {"Admitted": "Pending"}.get(state, "Admitted"),
        "state": state,
        "reason": state,
        "transitionTime": at(time).isoformat(),
        "resources": {
            "instanceType": P5,
            "podCount": 1,
            "requests": {"nvidia.com/gpu": "8", "cpu": "90"},
        },
        "attempt": 1,
    }
    return base | changes


def envelope(
    detail: Any, kind: str = "TaskStateChanged", event_id: str = "event-1"
) -> dict[str, Any]:
    return {"id": event_id, "detail-type": kind, "source": "gpu.commons", "detail": detail}
