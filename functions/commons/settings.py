"""The only reader of the environment: a class per capability, a field per capital variable."""

import os
from typing import Self

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Fails at the first use, with the names, when a variable of the capability is missing."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @classmethod
    def read(cls) -> Self:
        return cls.model_validate({name.lower(): value for name, value in os.environ.items()})


class Teams(Settings):
    team_table_name: str


class Runner(Settings):
    reconcile_team_machine_arn: str


class Directory(Settings):
    identity_store_id: str
    group_prefix: str


class OwnCalls(Settings):
    """Roles whose name starts with this are ours: their calls come back as events."""

    own_role_prefix: str


class Documents(Settings):
    configuration_bucket_name: str
    group_prefix: str


class IdentityCenter(Settings):
    instance_arn: str


class ClusterReader(Settings):
    cluster_reader_role_arn: str


class ClusterWriter(Settings):
    cluster_writer_role_arn: str


class Deletion(Settings):
    """Whether the stack may delete what can take data along; off unless its parameter says so."""

    allow_data_deletion: bool = False


class Usage(Settings):
    usage_table_name: str


class Chargeback(Settings):
    chargeback_bucket_name: str


class ChargebackRecords(Settings):
    chargeback_table_name: str
