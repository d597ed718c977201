"""Which account the command speaks to: the usual AWS environment, or the local cloud."""

import os
import sys
from functools import cache
from pathlib import Path

from local import settings, state

# any of these says that the caller has chosen an account
CHOICES = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_ENDPOINT_URL",
    "AWS_ROLE_ARN",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
)


@cache
def use_local_cloud_if_there_is_nothing_else() -> None:
    """Without any AWS environment, and with a local cloud running here, speak to that one.

    It is said on standard error, so that nobody takes the one for the other.
    """
    if any(os.environ.get(name) for name in CHOICES):
        return
    if any((Path.home() / ".aws" / name).exists() for name in ("credentials", "config")):
        return
    recorded = state.read()
    if recorded is None:
        return
    os.environ.update(settings.client_environment(recorded.ports))
    print("commons: no AWS environment is set: speaking to the local cloud", file=sys.stderr)  # noqa: T201 - the notice itself
