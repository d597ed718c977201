"""Permission sets and their tags, with the conflicts and ids that moto lacks."""

from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.ssoadmin.models import SSOAdminBackend
from moto.ssoadmin.responses import SSOAdminResponse

from local.services.assignments import Record, assignments
from local.services.errors import Refused
from local.services.fixtures import IDENTITY_STORE_ID, INSTANCE_ARN
from local.services.modelled import ModelledResponse
from local.services.paging import page
from local.settings import ACCOUNT, REGION

_MOST_TAGS = 50
_STORE_ARN = f"arn:aws:identitystore::{ACCOUNT}:identitystore/{IDENTITY_STORE_ID}"
_UPDATABLE = {
    "Description": "description",
    "SessionDuration": "session_duration",
    "RelayState": "relay_state",
}


class PermissionSetResponse(ModelledResponse, SSOAdminResponse):
    """The operations on one instance of Identity Center and on its permission sets."""

    @property
    def ssoadmin_backend(self) -> SSOAdminBackend:
        """moto's state, with the ids of this local cloud."""
        backend = super().ssoadmin_backend
        instance = backend.instances[0]
        instance.identity_store_id, instance.instance_arn = IDENTITY_STORE_ID, INSTANCE_ARN
        return backend

    def create_permission_set(self) -> Any:
        self._instance()
        name = self.params["Name"]
        if any(known.name == name for known in self.ssoadmin_backend.permission_sets):
            raise Refused("ConflictException", f"PermissionSet with name {name} already exists.")
        created = self.ssoadmin_backend.create_permission_set(
            name=name,
            description=self.params.get("Description", ""),
            instance_arn=INSTANCE_ARN,
            session_duration=self.params.get("SessionDuration", "PT1H"),
            relay_state=self.params.get("RelayState", ""),
            tags=list(self.params.get("Tags") or []),
        )
        renamed = self._permission_set(created["PermissionSetArn"])
        renamed.permission_set_arn = created["PermissionSetArn"].replace(
            ":instance/", ":permissionSet/"
        )
        return ActionResult({"PermissionSet": _described(renamed)})

    def describe_permission_set(self) -> Any:
        return ActionResult({"PermissionSet": _described(self._permission_set())})

    def update_permission_set(self) -> Any:
        permission_set = self._permission_set()
        for name, attribute in _UPDATABLE.items():
            if name in self.params:
                setattr(permission_set, attribute, self.params[name])
        return EmptyResult()

    def delete_permission_set(self) -> Any:
        arn = self._permission_set().permission_set_arn
        if assignments.accounts_of(arn):
            raise Refused("ConflictException", "PermissionSet has account assignments")
        self.ssoadmin_backend.delete_permission_set(INSTANCE_ARN, arn)
        return EmptyResult()

    def tag_resource(self) -> Any:
        tagged = self._permission_set(self.params["ResourceArn"])
        new = {tag["Key"]: tag for tag in self.params["Tags"]}
        tags = {**{tag["Key"]: tag for tag in tagged.tags}, **new}
        if len(tags) > _MOST_TAGS:
            raise Refused("ServiceQuotaExceededException", f"more than {_MOST_TAGS} tags")
        tagged.tags = list(tags.values())
        return EmptyResult()

    def untag_resource(self) -> Any:
        tagged = self._permission_set(self.params["ResourceArn"])
        tagged.tags = [tag for tag in tagged.tags if tag["Key"] not in self.params["TagKeys"]]
        return EmptyResult()

    def list_tags_for_resource(self) -> Any:
        tags = self._permission_set(self.params["ResourceArn"]).tags
        chosen, token = page(tags, self.params, lambda tag: [tag["Key"]])
        return ActionResult({"Tags": chosen, "NextToken": token})

    def list_instances(self) -> Any:
        return ActionResult({"Instances": [self._described_instance()]})

    def describe_instance(self) -> Any:
        self._instance()
        return ActionResult(self._described_instance())

    def _described_instance(self) -> Record:
        instance = self.ssoadmin_backend.instances[0]
        return {
            **instance.to_json(),
            "IdentityStoreArn": _STORE_ARN,
            "PrimaryRegion": REGION,
        }

    def _instance(self) -> None:
        if self.params.get("InstanceArn", INSTANCE_ARN) != INSTANCE_ARN:
            raise Refused("ResourceNotFoundException", "Instance not found")

    def _permission_set(self, arn: str | None = None) -> Any:
        self._instance()
        wanted = arn or self.params["PermissionSetArn"]
        for known in self.ssoadmin_backend.permission_sets:
            if known.permission_set_arn == wanted:
                return known
        identity = wanted.rpartition("/")[2]
        raise Refused(
            "ResourceNotFoundException", f"Could not find PermissionSet with id {identity}"
        )


def _described(permission_set: Any) -> Record:
    optional = {
        "Description": permission_set.description,
        "RelayState": permission_set.relay_state,
    }
    return {
        "Name": permission_set.name,
        "PermissionSetArn": permission_set.permission_set_arn,
        "SessionDuration": permission_set.session_duration,
        "CreatedDate": permission_set.created_date,
        **{name: value for name, value in optional.items() if value},
    }
