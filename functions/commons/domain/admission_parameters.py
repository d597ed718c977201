"""What the admission policies read from a Namespace: annotations that its team's document sets."""

from typing import Any

from commons.domain.documents import NamespaceSpec

PRIORITY_CLASSES = "gpu.commons/priority-classes"
HOST_PATHS = "gpu.commons/host-paths"


def of_document(spec: NamespaceSpec) -> dict[str, str]:
    """Without the first, every class is allowed; without the second, no path."""
    # always written, so that what somebody adds by hand is put right
    found = {HOST_PATHS: ",".join(spec.host_paths)}
    if spec.priority_classes is not None:
        found[PRIORITY_CLASSES] = ",".join(f"{name}-priority" for name in spec.priority_classes)
    return found


def of_namespace(observed: dict[str, Any]) -> dict[str, str]:
    """Those it has: a namespace that no document lists any more keeps its running tasks."""
    annotations = observed["metadata"].get("annotations") or {}
    return {
        name: annotations[name] for name in (PRIORITY_CLASSES, HOST_PATHS) if name in annotations
    }
