"""What the cluster answers to people, each signed in as themselves: `kubectl auth can-i`."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import yaml

from commons.domain.names import permission_set_name
from local import portal, settings, state
from local.controlplane import binaries

PEOPLE = (
    ("ada@example.com", "vision"),
    ("grace@example.com", "vision"),
    ("barbara@example.com", "language"),
)
_QUESTIONS = (
    ("create", "jobs", "hyperpod-ns-vision"),
    ("create", "jobs", "hyperpod-ns-language"),
    ("get", "secrets", "hyperpod-ns-language"),
    ("delete", "pods", "hyperpod-ns-vision"),
    ("patch", "workloads/status", "hyperpod-ns-vision"),
    ("update", "localqueues", "hyperpod-ns-language"),
    ("create", "rolebindings", "hyperpod-ns-vision"),
    ("list", "nodes", ""),
)


def answers(folder: Path) -> Iterator[list[str]]:
    """A row per question: verb, kind, namespace, and each person's answer."""
    configs = [_signed_in(folder, person, team) for person, team in PEOPLE]
    for verb, kind, namespace in _QUESTIONS:
        said = [_can_i(config, verb, kind, namespace) for config in configs]
        yield [f"{verb} {kind}", namespace or "the cluster", *said]


def _signed_in(folder: Path, person: str, team: str) -> Path:
    """A kubeconfig with the token that the person's own sign-in gives."""
    running = state.running()
    keys = portal.credentials(running.ports, person, permission_set_name(team))
    endpoint = settings.kubernetes_endpoint(running.ports, running.kubernetes, settings.EKS_CLUSTER)
    authority = str(settings.home() / "kubernetes" / "ca.crt")
    cluster = {"server": endpoint, "certificate-authority": authority}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": {"token": portal.token(running.ports, keys)}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "c",
    }
    file = folder / f"{person}-{team}"
    file.write_text(yaml.safe_dump(document))
    return file


def _can_i(config: Path, verb: str, kind: str, namespace: str) -> str:
    what, _, part = kind.partition("/")
    command = [binaries.kubectl(), "--kubeconfig", str(config), "auth", "can-i", verb, what]
    command += [f"--subresource={part}"] if part else []
    command += ["--namespace", namespace] if namespace else ["--all-namespaces"]
    told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    return told.stdout.split(" ")[0].strip() or told.stderr.strip()
