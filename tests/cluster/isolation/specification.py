"""What each role may do in its team's namespaces, written by hand.

Not made from the product's table of roles, which it judges. A letter is a verb; what is not
written here is allowed to nobody, neither at home nor anywhere else.
"""

from typing import NamedTuple

ROLES = ("viewer", "member", "lead")
VERBS = {
    "g": "get",
    "l": "list",
    "w": "watch",
    "c": "create",
    "u": "update",
    "p": "patch",
    "d": "delete",
    "x": "deletecollection",
}

# kind (group after the name, as kubectl writes it), then viewer, member, lead
_AT_HOME = """
pods                                                             glw   glwcd    glwcd
pods/log                                                         glw   glw      glw
pods/exec                                                        -     cg       cg
pods/attach                                                      -     cg       cg
pods/portforward                                                 -     cg       cg
configmaps                                                       glw   glwcupd  glwcupd
services                                                         glw   glwcupd  glwcupd
persistentvolumeclaims                                           glw   glwcupd  glwcupd
secrets                                                          -     glwcupd  glwcupd
events                                                           glw   glw      glw
limitranges                                                      glw   glw      glw
resourcequotas                                                   glw   glw      glw
serviceaccounts                                                  glw   glw      glw
jobs.batch                                                       glw   glwcupd  glwcupd
cronjobs.batch                                                   glw   glwcupd  glwcupd
deployments.apps                                                 glw   glwcupd  glwcupd
statefulsets.apps                                                glw   glwcupd  glwcupd
deployments/scale.apps                                           -     gup      gup
statefulsets/scale.apps                                          -     gup      gup
replicasets.apps                                                 glw   glw      glw
hyperpodpytorchjobs.sagemaker.amazonaws.com                      glw   glwcupd  glwcupd
pytorchjobs.kubeflow.org                                         glw   glwcupd  glwcupd
mpijobs.kubeflow.org                                             glw   glwcupd  glwcupd
tfjobs.kubeflow.org                                              glw   glwcupd  glwcupd
rayclusters.ray.io                                               glw   glwcupd  glwcupd
rayjobs.ray.io                                                   glw   glwcupd  glwcupd
raycronjobs.ray.io                                               glw   glwcupd  glwcupd
rayservices.ray.io                                               glw   glwcupd  glwcupd
inferenceendpointconfigs.inference.sagemaker.aws.amazon.com      glw   glwcupd  glwcupd
jumpstartmodels.inference.sagemaker.aws.amazon.com               glw   glwcupd  glwcupd
sagemakerendpointregistrations.inference.sagemaker.aws.amazon.com glw  glw      glw
workspaces.workspace.jupyter.org                                 glw   glwcupd  glwcupd
workspacetemplates.workspace.jupyter.org                         glw   glw      glw
workspaceaccessstrategies.workspace.jupyter.org                  glw   glw      glw
workspaceintegrationtemplates.workspace.jupyter.org              glw   glw      glw
workspaceconnections.connection.workspace.jupyter.org            -     c        c
raydashboardconnections.connection.access.sagemaker.amazonaws.com -    c        c
localqueues.kueue.x-k8s.io                                       glw   glw      glw
workloads.kueue.x-k8s.io                                         glw   glw      glwd
networkpolicies.networking.k8s.io                                glw   glw      glw
roles.rbac.authorization.k8s.io                                  -     -        glw
rolebindings.rbac.authorization.k8s.io                           -     -        glw
"""

# kinds of a namespace that no role gives anything of
_NEVER = """
bindings pods/binding pods/status pods/ephemeralcontainers pods/eviction pods/resize pods/proxy
services/proxy services/status serviceaccounts/token namespaces namespaces/status
namespaces/finalize endpoints replicationcontrollers podtemplates resourcequotas/status
persistentvolumeclaims/status jobs/status.batch deployments/status.apps daemonsets.apps
replicasets/scale.apps controllerrevisions.apps workloads/status.kueue.x-k8s.io
workloads/finalizers.kueue.x-k8s.io localqueues/status.kueue.x-k8s.io
hyperpodpytorchjobs/status.sagemaker.amazonaws.com workspaces/status.workspace.jupyter.org
horizontalpodautoscalers.autoscaling poddisruptionbudgets.policy leases.coordination.k8s.io
endpointslices.discovery.k8s.io ingresses.networking.k8s.io resourceclaims.resource.k8s.io
resourceclaimtemplates.resource.k8s.io localsubjectaccessreviews.authorization.k8s.io
events.events.k8s.io pods.metrics.k8s.io
"""

# kinds outside namespaces, of which nobody has anything
_CLUSTER_WIDE = """
nodes nodes/proxy nodes/status nodes/log persistentvolumes componentstatuses
users groups clusterroles.rbac.authorization.k8s.io clusterrolebindings.rbac.authorization.k8s.io
clusterqueues.kueue.x-k8s.io clusterqueues/status.kueue.x-k8s.io cohorts.kueue.x-k8s.io
resourceflavors.kueue.x-k8s.io workloadpriorityclasses.kueue.x-k8s.io
admissionchecks.kueue.x-k8s.io topologies.kueue.x-k8s.io priorityclasses.scheduling.k8s.io
storageclasses.storage.k8s.io volumeattachments.storage.k8s.io csidrivers.storage.k8s.io
csinodes.storage.k8s.io customresourcedefinitions.apiextensions.k8s.io
apiservices.apiregistration.k8s.io certificatesigningrequests.certificates.k8s.io
certificatesigningrequests/approval.certificates.k8s.io
validatingadmissionpolicies.admissionregistration.k8s.io
validatingadmissionpolicybindings.admissionregistration.k8s.io
validatingwebhookconfigurations.admissionregistration.k8s.io
mutatingwebhookconfigurations.admissionregistration.k8s.io
mutatingadmissionpolicies.admissionregistration.k8s.io runtimeclasses.node.k8s.io
subjectaccessreviews.authorization.k8s.io tokenreviews.authentication.k8s.io
flowschemas.flowcontrol.apiserver.k8s.io deviceclasses.resource.k8s.io
"""

# more than the eight verbs: who may act as somebody, hand out a role, or sign
_SPECIAL = """
impersonate users
impersonate groups
impersonate serviceaccounts
impersonate userextras/scopes.authentication.k8s.io
escalate roles.rbac.authorization.k8s.io
bind roles.rbac.authorization.k8s.io
escalate clusterroles.rbac.authorization.k8s.io
bind clusterroles.rbac.authorization.k8s.io
approve signers.certificates.k8s.io
sign signers.certificates.k8s.io
use podsecuritypolicies.policy
"""

# everybody who is signed in may ask who they are and what they may do
ANYWHERE = {
    ("create", "selfsubjectaccessreviews.authorization.k8s.io"),
    ("create", "selfsubjectrulesreviews.authorization.k8s.io"),
    ("create", "selfsubjectreviews.authentication.k8s.io"),
}


class Act(NamedTuple):
    """A verb and a kind: `exec` is the subresource of `pods/exec`."""

    verb: str
    kind: str

    @property
    def group(self) -> str:
        return self.kind.partition(".")[2]

    @property
    def resource(self) -> str:
        return self.kind.partition(".")[0].partition("/")[0]

    @property
    def subresource(self) -> str:
        return self.kind.partition(".")[0].partition("/")[2]


def _lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


AT_HOME: dict[str, dict[str, tuple[str, ...]]] = {
    kind: {
        role: tuple(VERBS[letter] for letter in verbs.strip("-"))
        for role, verbs in zip(ROLES, columns, strict=True)
    }
    for kind, *columns in _lines(_AT_HOME)
}
CLUSTER_WIDE = frozenset(_CLUSTER_WIDE.split())
_KINDS = (*AT_HOME, *_NEVER.split(), *sorted(CLUSTER_WIDE))
ACTS = (
    *(Act(verb, kind) for kind in _KINDS for verb in VERBS.values()),
    *(Act(verb, kind) for verb, kind in _lines(_SPECIAL)),
    *(Act(verb, kind) for verb, kind in sorted(ANYWHERE)),
)


def allowed(role: str, act: Act, at_home: bool) -> bool:
    """Whether somebody of that role must be let, in the team's own namespace or elsewhere."""
    if (act.verb, act.kind) in ANYWHERE:
        return True
    return at_home and act.verb in AT_HOME.get(act.kind, {}).get(role, ())
