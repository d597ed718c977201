"""What the API refuses, in the words and codes of a real API server (metav1.Status)."""

from typing import Any

from local.kubernetes.kinds import Kind


class ApiError(Exception):
    """A refusal that the client gets as a Status with this code and reason."""

    def __init__(
        self, code: int, reason: str, message: str, details: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details

    def status(self) -> dict[str, Any]:
        """The body of the answer."""
        body: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        }
        told = {"reason": self.reason, "details": self.details}
        return body | {field: value for field, value in told.items() if value}


class NoPage(ApiError):
    """404 without a Status: the path belongs to no group that is built in."""

    def __init__(self) -> None:
        super().__init__(404, "NotFound", "404 page not found")


def _details(kind: Kind, name: str) -> dict[str, Any]:
    return {"name": name, "kind": kind.plural} | ({"group": kind.group} if kind.group else {})


def bad_request(message: str) -> ApiError:
    """400: the request contradicts itself or cannot be read."""
    return ApiError(400, "BadRequest", message)


def unreadable(kind: Kind, version: str, problem: str) -> ApiError:
    """400: a field has not the type that it has in the kind."""
    return bad_request(
        f'{kind.kind} in version "{version}" cannot be handled as a {kind.kind}: {problem}'
    )


def internal(message: str) -> ApiError:
    """500 without a reason, as the API server answers what it did not think of."""
    return ApiError(500, "", message)


def unauthorized() -> ApiError:
    """401: nobody is signed in; the reason is never told."""
    return ApiError(401, "Unauthorized", "Unauthorized")


def unknown_resource() -> ApiError:
    """404: a built-in group does not have the resource."""
    return ApiError(404, "NotFound", "the server could not find the requested resource")


def not_found(kind: Kind, name: str) -> ApiError:
    """404: the kind is served, the object is not there."""
    return ApiError(404, "NotFound", f'{kind.qualified} "{name}" not found', _details(kind, name))


def method_not_allowed(what: str) -> ApiError:
    """405: a verb or subresource that this API does not have."""
    return ApiError(405, "MethodNotAllowed", f"{what} is not supported by the local cluster")


def not_allowed() -> ApiError:
    """405: the resource is there, and takes other methods."""
    message = "the server does not allow this method on the requested resource"
    return ApiError(405, "MethodNotAllowed", message)


def already_exists(kind: Kind, name: str) -> ApiError:
    """409: a create met an object of that name."""
    message = f'{kind.qualified} "{name}" already exists'
    return ApiError(409, "AlreadyExists", message, _details(kind, name))


def modified(kind: Kind, name: str) -> ApiError:
    """409: the writer saw an older version."""
    message = (
        f'Operation cannot be fulfilled on {kind.qualified} "{name}": the object has been '
        "modified; please apply your changes to the latest version and try again"
    )
    return ApiError(409, "Conflict", message, _details(kind, name))


def precondition_failed(kind: Kind, name: str, what: str) -> ApiError:
    """409: the object is not the one that the client meant."""
    message = f'Operation cannot be fulfilled on {kind.qualified} "{name}": Precondition failed: '
    return ApiError(409, "Conflict", message + what, _details(kind, name))


def absent(kind: Kind, name: str, uid: str) -> ApiError:
    """409: the client means an object that is not there."""
    message = (
        f'Operation cannot be fulfilled on {kind.qualified} "{name}": uid mismatch: the provided '
        f"object specified uid {uid}, and no existing object was found"
    )
    return ApiError(409, "Conflict", message, _details(kind, name))


def expired(message: str) -> ApiError:
    """410: the version or page asked for is no longer kept."""
    return ApiError(410, "Expired", message)


def too_large(limit: int) -> ApiError:
    """413: the body has more than `limit` bytes."""
    return ApiError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {limit}")


def unsupported_media_type(given: str, accepted: tuple[str, ...]) -> ApiError:
    """415: a patch or body format that is not served."""
    message = (
        "the body of the request was in an unknown format - accepted media types include: "
        f"{', '.join(accepted)} (was {given})"
    )
    return ApiError(415, "UnsupportedMediaType", message)


def invalid(kind: Kind, name: str, field: str, problem: str, reason: str) -> ApiError:
    """422: the object breaks a rule of its kind."""
    message = f'{kind.kind}{f".{kind.group}" if kind.group else ""} "{name}" is invalid: '
    cause = {"reason": reason, "message": problem, "field": field}
    details = {"name": name, "kind": kind.kind, "causes": [cause]}
    if kind.group:
        details["group"] = kind.group
    return ApiError(422, "Invalid", f"{message}{field}: {problem}", details)


def invalid_options(options: str, field: str, problem: str, reason: str) -> ApiError:
    """422: the request's options break a rule."""
    cause = {"reason": reason, "message": problem, "field": field}
    details = {"group": "meta.k8s.io", "kind": options, "causes": [cause]}
    message = f'{options}.meta.k8s.io "" is invalid: {field}: {problem}'
    return ApiError(422, "Invalid", message, details)


def forbidden(kind: Kind, name: str, problem: str) -> ApiError:
    """403: an admission rule, not missing permission, forbids it."""
    subject = f'{kind.qualified} "{name}"' if name else kind.qualified
    return ApiError(403, "Forbidden", f"{subject} is forbidden: {problem}", _details(kind, name))


def terminating(kind: Kind, name: str, namespace: str) -> ApiError:
    """403: nothing new comes into a namespace that goes."""
    error = forbidden(
        kind,
        name,
        f"unable to create new content in namespace {namespace} because it is being terminated",
    )
    message = f"namespace {namespace} is being terminated"
    cause = {
        "reason": "NamespaceTerminating",
        "message": message,
        "field": "metadata.namespace",
    }
    return ApiError(
        error.code, error.reason, error.message, _details(kind, name) | {"causes": [cause]}
    )
