"""Builds the adapters, once per process; the only place that knows both the settings and them.

Handlers call `bootstrap.team_table()`; a test replaces the attribute by a function that answers a
fake. Adapters are imported where they are built, so that a function pays only for what it uses.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools import Logger
from botocore.config import Config

from commons import settings

if TYPE_CHECKING:
    from commons.adapters.event_bus import EventBus
    from commons.adapters.identity_store import IdentityStore
    from commons.adapters.member_table import MemberTable
    from commons.adapters.team_table import TeamTable

logger = Logger()


def now() -> datetime:
    """The clock, in UTC. Everything below takes the time as an argument."""
    return datetime.now(UTC)


@cache
def _client(service: str) -> Any:
    # standard mode retries throttling with jitter; a call that hangs must not eat all the time
    retries = {"mode": "standard", "max_attempts": 5}
    return boto3.client(service, config=Config(retries=retries, connect_timeout=5, read_timeout=20))


@cache
def event_bus() -> EventBus:
    from commons.adapters.event_bus import EventBus

    return EventBus(_client("events"))


@cache
def _table(name: str) -> Any:
    return boto3.resource("dynamodb").Table(name)


@cache
def team_table() -> TeamTable:
    from commons.adapters.team_table import TeamTable

    return TeamTable(_table(settings.Teams.read().team_table_name))


@cache
def member_table() -> MemberTable:
    from commons.adapters.member_table import MemberTable

    return MemberTable(_table(settings.Teams.read().team_table_name))


@cache
def identity_store() -> IdentityStore:
    from commons.adapters.identity_store import IdentityStore

    return IdentityStore(_client("identitystore"), settings.Directory.read().identity_store_id)
