"""Reaching what is another team's, or everybody's."""

from tests.cluster.isolation.company import AMBER, COBALT
from tests.cluster.isolation.escapes.attempt import (
    ADMISSION,
    KUEUE,
    at,
    delete,
    get,
    patch,
    post,
    stopped,
    thing,
)
from tests.cluster.isolation.escapes.tasks import job, pod

_RUNNING = at(COBALT, "pods", "waiting")
_EPHEMERAL = {"spec": {"ephemeralContainers": [{"name": "look", "image": "image"}]}}
_OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "notes", "uid": "0"}
_HOOK = f"/apis/{ADMISSION}/validatingwebhookconfigurations"
_CUSTOM = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_SECRET_OF_A_POD = {"volumes": [{"name": "it", "secret": {"secretName": "keys"}}]}

ATTEMPTS = (
    *stopped(
        "roles",
        "amber lead",
        ("exec", "open a shell in a pod next door", post(f"{_RUNNING}/exec?command=sh", None)),
        ("exec-get", "open it as newer clients do", get(f"{_RUNNING}/exec?command=sh")),
        ("attach", "attach to a pod next door", post(f"{_RUNNING}/attach", None)),
        (
            "port-forward",
            "forward a port of a pod next door",
            post(f"{_RUNNING}/portforward", None),
        ),
        ("proxy", "call a pod next door through the server", get(f"{_RUNNING}/proxy/")),
        ("logs", "read the log of a pod next door", get(f"{_RUNNING}/log")),
        (
            "debug",
            "put an ephemeral container into a pod next door",
            patch(f"{_RUNNING}/ephemeralcontainers", _EPHEMERAL),
        ),
        (
            "debug-at-home",
            "put one into a pod of their own, past what was checked",
            patch(f"{at(AMBER, 'pods', 'waiting')}/ephemeralcontainers", _EPHEMERAL),
        ),
        (
            "evict",
            "evict a pod next door",
            post(f"{_RUNNING}/eviction", thing("policy/v1", "Eviction", "waiting")),
        ),
        ("kill", "delete a pod next door", delete(_RUNNING)),
        ("kill-all", "delete all Jobs next door at once", delete(at(COBALT, "jobs.batch/v1"))),
        ("stop-task", "delete a Workload next door", delete(at(COBALT, f"workloads.{KUEUE}"))),
        (
            "run-there",
            "run a task in the namespace next door, in its queue",
            post(at(COBALT, "jobs.batch/v1"), job()),
        ),
        ("read-secret", "read a Secret next door", get(at(COBALT, "secrets", "keys"))),
        ("read-config", "read a ConfigMap next door", get(at(COBALT, "configmaps", "notes"))),
        (
            "write-config",
            "write a ConfigMap next door",
            patch(at(COBALT, "configmaps", "notes"), {"data": {"a": "b"}}),
        ),
        (
            "own-theirs",
            "make an object next door theirs by an owner reference",
            patch(at(COBALT, "configmaps", "notes"), {"metadata": {"ownerReferences": [_OWNER]}}),
        ),
        ("all-secrets", "list the Secrets of all namespaces", get("/api/v1/secrets")),
        ("all-pods", "list the pods of all namespaces", get("/api/v1/pods")),
        (
            "watch-all",
            "watch the Workloads of all namespaces",
            get(f"/apis/{KUEUE}/workloads?watch=true"),
        ),
        ("all-names", "list the namespaces: who else there is", get("/api/v1/namespaces")),
        (
            "sign-in-map",
            "change who may sign in, as older EKS clusters keep it",
            patch(at("kube-system", "configmaps", "aws-auth"), {"data": {"mapUsers": ""}}),
        ),
        (
            "false-event",
            "write an Event in kube-system",
            post(at("kube-system", "events"), thing("v1", "Event", involvedObject={})),
        ),
        (
            "lease",
            "take the lease of a controller of Kubernetes",
            patch(
                at("kube-system", "leases.coordination.k8s.io/v1", "kube-scheduler"),
                {"spec": {"holderIdentity": "me"}},
            ),
        ),
        ("static-pod", "run a pod in kube-system", post(at("kube-system", "pods"), pod())),
        (
            "run-ungoverned",
            "run a task in the namespace default, without a quota",
            post(at("default", "jobs.batch/v1"), job()),
        ),
        (
            "new-webhook",
            "make a webhook that sees everybody's requests",
            post(_HOOK, thing(ADMISSION, "ValidatingWebhookConfiguration")),
        ),
        (
            "end-policy",
            "delete an admission policy of the product",
            delete(f"/apis/{ADMISSION}/validatingadmissionpolicies/commons-queue"),
        ),
        (
            "end-policy-binding",
            "delete its binding",
            delete(f"/apis/{ADMISSION}/validatingadmissionpolicybindings/commons-queue"),
        ),
        (
            "kinds",
            "delete Kueue's kind of Workloads",
            delete(f"{_CUSTOM}/workloads.kueue.x-k8s.io"),
        ),
        ("metrics", "read the server's own metrics", get("/metrics")),
        ("profile", "read the memory of the server", get("/debug/pprof/heap")),
    ),
    *stopped(
        "roles",
        "amber viewer",
        (
            "viewer-secret",
            "read a Secret of their own team as a viewer",
            get(at(AMBER, "secrets", "keys")),
        ),
        ("viewer-pod", "read it through a pod", post(at(AMBER, "pods"), pod(**_SECRET_OF_A_POD))),
        (
            "viewer-exec",
            "read it in a pod that has it",
            post(f"{at(AMBER, 'pods', 'waiting')}/exec?command=env", None),
        ),
    ),
    *stopped(
        "roles",
        "amber member",
        (
            "end-colleagues",
            "end a colleague's task by its Workload, as only a lead may",
            delete(f"{at(AMBER, f'workloads.{KUEUE}')}/{{workload}}"),
        ),
    ),
    *stopped(
        "commons-guard",
        "amber member",
        (
            "take-address",
            "take the traffic of an address by a Service",
            post(
                at(AMBER, "services"),
                thing("v1", "Service", spec={"ports": [{"port": 80}], "externalIPs": ["10.0.0.1"]}),
            ),
        ),
    ),
    *stopped(
        "commons-guard",
        "amber favourite",
        (
            "debug-by-favour",
            "put an ephemeral container into a pod",
            patch(f"{at(AMBER, 'pods', 'waiting')}/ephemeralcontainers", _EPHEMERAL),
        ),
        (
            "foreign-endpoints",
            "send a Service of theirs to an address next door",
            post(
                at(AMBER, "endpointslices.discovery.k8s.io/v1"),
                thing(
                    "discovery.k8s.io/v1",
                    "EndpointSlice",
                    addressType="IPv4",
                    endpoints=[{"addresses": ["10.0.0.1"]}],
                    labels={"kubernetes.io/service-name": "mine"},
                ),
            ),
        ),
    ),
    *stopped(
        "Kubernetes",
        "amber member",
        (
            "wrong-namespace",
            "send an object for next door to their own namespace",
            post(at(AMBER, "configmaps"), thing("v1", "ConfigMap", namespace=COBALT), status=400),
        ),
    ),
)
