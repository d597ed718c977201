"""What a tenant changes for nobody, whatever other roles an administrator has given them."""

from commons.domain import rbac
from commons.domain.admission_policy import TENANT, Cel, Check, Policy, rule
from commons.domain.admission_tasks import cel
from commons.domain.namespace_objects import MANAGED, MANAGED_LABEL, TEAM_LABEL

_ALL = ("CREATE", "UPDATE", "DELETE", "CONNECT")
_NOT_THEIRS = (
    "resourcequotas",
    "limitranges",
    "networkpolicies",
)
_PAST_THE_CHECKS = (
    "serviceaccounts/token",
    "pods/ephemeralcontainers",
    "pods/resize",
    "pods/binding",
    "bindings",
)


def _ours(thing: str) -> str:
    label = f"{thing}.?metadata.?labels[?'{MANAGED_LABEL}'].orValue('')"
    return f"({thing} != null && {label} == '{MANAGED}')"


NAMESPACED = Policy(
    name="commons-guard",
    whom="everything that a tenant makes, changes, deletes or opens in a team's namespace",
    rules=(rule("*", ("*/*",), _ALL),),
    condition=TENANT,
    variables=(
        ("user", "request.userInfo.username"),
        ("team", f"namespaceObject.metadata.labels['{TEAM_LABEL}']"),
        ("pods", "'system:serviceaccount:hyperpod-ns-' + variables.team"),
        (
            "what",
            "request.resource.resource + (request.?subResource.orValue('') == ''"
            " ? '' : '/' + request.subResource)",
        ),
    ),
    checks=(
        Check(
            "is done by people and pods of the namespace's own team only",
            "variables.user.startsWith('commons:' + variables.team + ':')"
            " || variables.user.startsWith(variables.pods + ':')"
            " || variables.user.startsWith(variables.pods + '-')",
            Cel("'only team ' + variables.team + ' may do that in ' + request.namespace"),
        ),
        Check(
            "leaves queues and Workloads alone (who has a role for it may delete a Workload)",
            "request.resource.group != 'kueue.x-k8s.io'"
            " || (request.operation == 'DELETE' && variables.what == 'workloads')",
            "queues and Workloads are Kueue's and the platform team's",
        ),
        Check(
            "leaves resource quotas, limit ranges and network policies alone",
            f"!(request.resource.resource in {cel(_NOT_THEIRS)})",
            "quotas, limits and network policies of a namespace are the platform team's",
        ),
        Check(
            "leaves Roles and RoleBindings alone",
            f"request.resource.group != '{rbac.RBAC}'",
            "roles follow from directory groups: ask who owns the group",
        ),
        Check(
            "asks for no token; adds to no running pod, enlarges none, and binds none to a node",
            f"!(variables.what in {cel(_PAST_THE_CHECKS)})",
            Cel("'a team has no right to ' + variables.what"),
        ),
        Check(
            "writes no status",
            "!variables.what.endsWith('/status')",
            Cel("'only its controller writes ' + variables.what"),
        ),
        Check(
            "makes no Secret that Kubernetes fills with a token which never ends",
            "variables.what != 'secrets' || object == null"
            " || object.?type.orValue('') != 'kubernetes.io/service-account-token'",
            "tokens of service accounts as Secrets are not allowed: a pod has one by itself",
        ),
        Check(
            "takes no traffic of addresses outside by a Service",
            "variables.what != 'services' || object == null"
            " || object.?spec.?externalIPs.orValue([]) == []",
            "externalIPs are not allowed: remove them",
        ),
        Check(
            "sends no Service of theirs to an address of their choice",
            "!(request.resource.resource in ['endpoints', 'endpointslices'])",
            "a Service finds its pods by its selector: addresses are not written by hand",
        ),
        Check(
            f"leaves alone what is labelled `{MANAGED_LABEL}: {MANAGED}`, before or after",
            f"!{_ours('oldObject')} && !{_ours('object')}",
            f"what is labelled {MANAGED_LABEL}={MANAGED} is the product's",
        ),
    ),
)

CLUSTER = Policy(
    name="commons-cluster",
    whom="everything that a tenant makes, changes, deletes or opens outside namespaces",
    rules=(rule("*", ("*/*",), _ALL, scope="Cluster"),),
    condition=TENANT,
    variables=(),
    checks=(
        Check(
            "is only a question what one may do: Namespaces and the labels that switch governance, "
            "queues, priorities, nodes, volumes and policies are left alone",
            "request.resource.group in ['authorization.k8s.io', 'authentication.k8s.io']",
            Cel(
                "'a team changes nothing outside its namespaces: ' + request.resource.resource"
                " + ' are the platform team\\'s'"
            ),
        ),
    ),
    everywhere=True,
)
