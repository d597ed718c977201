"""A refusal as the botocore model shapes it."""

from typing import Any

from moto.core.exceptions import ServiceException


class Refused(ServiceException):
    """One of the errors of a service's model, by code; attributes are members of its shape."""

    def __init__(self, code: str, message: str, **members: Any) -> None:
        super().__init__(code, message)
        for name, value in members.items():
            setattr(self, name, value)
