"""What the API server asks us: whose token is this, and what do their access policies allow."""

import json
from typing import Any

from aiohttp import web

from local.kubernetes import tokens
from local.kubernetes.rbac import User
from local.kubernetes.sign_in import SignIn
from local.settings import EKS_CLUSTER

Document = dict[str, Any]

ACCESS = "local.gpu.commons/access"
"""Names what somebody's access policies give, in what the API server knows of them."""
_ADMINISTRATOR, _READER, _NAMESPACE = "administrator", "reader", "namespace:"
_READS = {"get", "list", "watch"}


def application(sign_in: SignIn) -> web.Application:
    """The web application that the API server calls."""

    async def signed_in(request: web.Request) -> web.Response:
        review = await request.json()
        token = review["spec"].get("token", "")
        known = token.startswith(tokens.PREFIX)
        user = await sign_in.user(EKS_CLUSTER, token) if known else None
        return _answer(review, authentication(user))

    async def allowed(request: web.Request) -> web.Response:
        review = await request.json()
        return _answer(review, {"allowed": by_policy(review["spec"])})

    served = web.Application()
    served.router.add_post("/sign-in", signed_in)
    served.router.add_post("/access-policies", allowed)
    return served


def authentication(user: User | None) -> Document:
    """The status of a TokenReview."""
    if user is None:
        return {"authenticated": False}
    told: Document = {"username": user.name, "groups": list(user.groups)}
    if access := _access(user):
        told["extra"] = {ACCESS: access}
    return {"authenticated": True, "user": told}


def by_policy(spec: Document) -> bool:
    """Whether access policies allow what a SubjectAccessReview asks; never a refusal."""
    access = (spec.get("extra") or {}).get(ACCESS) or []
    if _ADMINISTRATOR in access:
        return True
    wanted = spec.get("resourceAttributes") or spec.get("nonResourceAttributes") or {}
    if _READER in access and wanted.get("verb") in _READS:
        return True
    namespace = wanted.get("namespace")
    return bool(namespace) and f"{_NAMESPACE}{namespace}" in access


def _access(user: User) -> list[str]:
    return [
        *([_ADMINISTRATOR] if user.cluster_admin else []),
        *([_READER] if user.reader else []),
        *(f"{_NAMESPACE}{namespace}" for namespace in user.admin_namespaces),
    ]


def _answer(review: Document, status: Document) -> web.Response:
    named = {"apiVersion": review["apiVersion"], "kind": review["kind"]}
    body = json.dumps({**named, "status": status})
    return web.Response(text=body, content_type="application/json")
