"""Three teams made by the product, with somebody in each role of each, and who else might ask."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

from local.identity_provider import IdentityProvider
from tests.clouds import Cloud
from tests.cluster.isolation.specification import ROLES
from tests.stories.company import CLUSTER, register_cluster

AMBER = "hyperpod-ns-amber"
COAST = "hyperpod-ns-amber-coast"
COBALT = "hyperpod-ns-cobalt"
IVORY = "hyperpod-ns-ivory"
HOMES = {"amber": (AMBER, COAST), "cobalt": (COBALT,), "ivory": (IVORY,)}
TEAMS = tuple(HOMES)
# neither a team's nor a team's to look into; nobody needs to have made them to be asked about
PLATFORM = ("default", "kube-system", "kueue-system")
_WAIT_SECONDS = 240
# a path that amber's namespace may mount; the list of classes that it may use
HOST_PATH = "/mnt/k8s-disks/0"
PRIORITY = "experimentation"


@dataclass(frozen=True)
class Person:
    """Somebody of the directory, signed in for one team."""

    user_name: str
    team: str
    groups: tuple[str, ...]

    @property
    def kubernetes_name(self) -> str:
        return f"commons:{self.team}:{self.user_name.replace('@', '-')}"


def _in_role(team: str, role: str) -> Person:
    return Person(f"{role}@{team}.example", team, (f"gpu-{team}-{role}s",))


PEOPLE = {f"{team} {role}": _in_role(team, role) for team, role in product(TEAMS, ROLES)} | {
    # an administrator gave them everything inside amber's namespace, by a binding of their own
    "amber favourite": Person("favourite@amber.example", "amber", ("gpu-amber-members",)),
    "cobalt guest": Person("guest@cobalt.example", "cobalt", ("gpu-cobalt-members",)),
    # lead next door, viewer here, and signed in as the latter
    "amber both": Person("both@firm.example", "amber", ("gpu-amber-viewers", "gpu-cobalt-leads")),
    # EKS sees one name in two people
    "amber twin": Person("twin@amber.example", "amber", ("gpu-amber-members",)),
    "amber copy": Person("twin-amber.example", "amber", ("gpu-amber-leads",)),
    # in a group of the directory that Kubernetes takes for its masters
    "amber master": Person(
        "master@amber.example", "amber", ("gpu-amber-viewers", "system:masters")
    ),
}
# who were given cluster-admin in amber's namespace by hand, as a binding names them
FAVOURED = (
    ("User", PEOPLE["amber favourite"].kubernetes_name),
    ("User", PEOPLE["cobalt guest"].kubernetes_name),
    ("User", f"system:serviceaccount:{AMBER}:default"),
)


def move_in(cloud: Cloud, folder: Path) -> None:
    """The cluster is registered, the directory filled, the documents applied, all reconciled."""
    register_cluster(cloud)
    directory = IdentityProvider(cloud.environment["AWS_ENDPOINT_URL_IDENTITYSTORE"])
    groups = {f"gpu-{team}-{role}s" for team, role in product(TEAMS, ROLES)}
    for group in sorted(groups | {"system:masters"}):
        directory.create_group(group)
    for person in PEOPLE.values():
        directory.create_user(person.user_name)
        for group in person.groups:
            directory.add_member(group, person.user_name)
    for team in TEAMS:
        document = folder / f"{team}.yaml"
        document.write_text(_document(team))
        answer = cloud.run("team", "apply", str(document))
        assert answer.returncode == 0, answer.stderr + answer.stdout
    cloud.wait(_WAIT_SECONDS)
    shown = [cloud.commons("team", "show", team) for team in TEAMS]
    # the twins of team amber are held apart, and told
    assert [team["phase"] for team in shown] == ["Conflict", "Ready", "Ready"], shown


def _document(team: str) -> str:
    groups = ", ".join(f"{role}: [gpu-{team}-{role}s]" for role in ROLES)
    lines = [
        "kind: Team",
        f"team: {team}",
        f"title: Team {team}",
        f"groups: {{{groups}}}",
        "namespaces:",
    ]
    for namespace in HOMES[team]:
        project = namespace.removeprefix(f"hyperpod-ns-{team}").removeprefix("-")
        lines += [
            f"  - cluster: {CLUSTER}",
            *([f"    project: {project}"] if project else []),
            f"    host_paths: [{HOST_PATH}]",
            f"    priority_classes: [{PRIORITY}]",
            "    quota: {resources: [{instance_type: ml.c5.4xlarge, vcpu: 1}]}",
        ]
    return "\n".join(lines) + "\n"
