"""A company for the stories: its cluster, its teams' documents, and what its people may do."""

from pathlib import Path
from typing import Any

from lightkube.resources.rbac_authorization_v1 import RoleBinding

from local import priorities, settings
from local.kubernetes import play
from tests.stories.conftest import Cloud

CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
EXAMPLES = settings.CHECKOUT / "examples"
_QUOTA = "instance_type: ml.c5.4xlarge, vcpu: 1"


def register_cluster(cloud: Cloud) -> None:
    """Twice does no harm, so that each story can stand alone."""
    answer = cloud.run("cluster", "register", str(EXAMPLES / "cluster.yaml"))
    assert answer.returncode == 0, answer.stderr + answer.stdout
    priorities.set_up(cloud.client("sagemaker"), priorities.USUAL)


def team_document(team: str, accelerators: int = 1, projects: tuple[str, ...] = ()) -> str:
    lines = [
        "kind: Team",
        f"team: {team}",
        f"title: Team {team}",
        "state: active",
        f"groups: {{member: [gpu-{team}], lead: [gpu-{team}-leads]}}",
        f"contacts: [{team}@example.com]",
        "cost_centers: [{code: CC-1, valid_from: 2026-01-01}]",
        "namespaces:",
    ]
    for project in ("", *projects):
        lines += [
            f"  - cluster: {CLUSTER}",
            *([f"    project: {project}"] if project else []),
            "    quota:",
            f"      resources: [{{instance_type: ml.c5.4xlarge, vcpu: {accelerators}}}]",
            "      sharing: {strategy: LendAndBorrow, borrow_limit: 100}",
        ]
    return "\n".join(lines) + "\n"


def make_team(
    cloud: Cloud, folder: Path, team: str, projects: tuple[str, ...] = (), quota: str = _QUOTA
) -> None:
    """A team with its two groups, its document applied."""
    for group in (f"gpu-{team}", f"gpu-{team}-leads"):
        cloud.commons("directory", "create-group", group)
    document = folder / f"{team}.yaml"
    document.write_text(team_document(team, projects=projects).replace(_QUOTA, quota))
    answer = cloud.run("team", "apply", str(document))
    assert answer.returncode == 0, answer.stderr + answer.stdout


ANVIL, BELLOWS = "hyperpod-ns-anvil", "hyperpod-ns-bellows"


def make_lenders(cloud: Cloud, folder: Path) -> None:
    """Two teams with four GPUs each, lent to each other; nobody else has any of that type.

    Twice does no harm: else the idle quota of others would decide who is preempted.
    """
    register_cluster(cloud)
    for team in ("anvil", "bellows"):
        if cloud.run("team", "show", team).returncode:
            make_team(cloud, folder, team, quota="instance_type: ml.p5.48xlarge, accelerators: 4")
    cloud.wait()


def join(cloud: Cloud, group: str, *people: str) -> None:
    for person in people:
        cloud.commons("directory", "create-user", person)
        cloud.commons("directory", "add-member", group, person)


def kubernetes(cloud: Cloud) -> Any:
    started = cloud.state
    endpoint = settings.kubernetes_endpoint(started.ports, started.kubernetes, settings.EKS_CLUSTER)
    return play.administrator(cloud.home, endpoint)


def subjects(cloud: Cloud, namespace: str) -> dict[str, set[str]]:
    """Names of the people that each of our RoleBindings lists, by the role they get."""
    found: dict[str, set[str]] = {}
    for binding in kubernetes(cloud).list(RoleBinding, namespace=namespace):
        names = {subject.name for subject in binding.subjects or []}
        found.setdefault(binding.roleRef.name, set()).update(names)
    return found


def everybody(cloud: Cloud, namespace: str) -> set[str]:
    return set().union(*subjects(cloud, namespace).values())
