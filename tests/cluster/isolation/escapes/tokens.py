"""Getting a token of somebody else, or one that lasts."""

from tests.cluster.isolation.company import AMBER, COAST, COBALT
from tests.cluster.isolation.escapes.attempt import (
    at,
    get,
    post,
    stopped,
    thing,
)

_TOKEN = thing("authentication.k8s.io/v1", "TokenRequest", "", spec={"audiences": []})
_SIGNER = {"request": "", "signerName": "kubernetes.io/kube-apiserver-client", "usages": []}
_LASTING = thing(
    "v1",
    "Secret",
    annotations={"kubernetes.io/service-account.name": "default"},
    type="kubernetes.io/service-account-token",
)


def _review(group: str, kind: str, **spec: str) -> dict[str, object]:
    return thing(f"{group}.k8s.io/v1", kind, "", spec=spec)


ATTEMPTS = (
    *stopped(
        "roles",
        "amber member",
        (
            "token-at-home",
            "ask for a token of their own service account",
            post(at(AMBER, "serviceaccounts", "default/token"), _TOKEN),
        ),
    ),
    *stopped(
        "roles",
        "amber lead",
        (
            "token-next-door",
            "ask for a token of a service account next door",
            post(at(COBALT, "serviceaccounts", "default/token"), _TOKEN),
        ),
        (
            "new-service-account",
            "make a service account, perhaps one to which AWS gives a role",
            post(at(AMBER, "serviceaccounts"), thing("v1", "ServiceAccount")),
        ),
        (
            "sign-request",
            "have a certificate of system:masters signed",
            post(
                "/apis/certificates.k8s.io/v1/certificatesigningrequests",
                thing("certificates.k8s.io/v1", "CertificateSigningRequest", spec=_SIGNER),
            ),
        ),
        (
            "ask-about-others",
            "ask what somebody else may do",
            post(
                "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                _review("authorization", "SubjectAccessReview", user="admin"),
            ),
        ),
        (
            "try-tokens",
            "let the server try tokens out",
            post(
                "/apis/authentication.k8s.io/v1/tokenreviews",
                _review("authentication", "TokenReview", token="guess"),
            ),
        ),
    ),
    *stopped(
        "commons-guard",
        "amber favourite",
        (
            "token-by-favour",
            "ask for a token of a service account, which outlives their leaving",
            post(at(AMBER, "serviceaccounts", "default/token"), _TOKEN),
        ),
    ),
    *stopped(
        "commons-guard",
        "amber member",
        (
            "token-as-secret",
            "have Kubernetes write a token that never ends into a Secret",
            post(at(AMBER, "secrets"), _LASTING),
        ),
    ),
    *stopped(
        "roles",
        "coast pod",
        (
            "bare-pod",
            "use what every pod of the team has, its own token",
            get(at(COAST, "secrets")),
        ),
    ),
)
