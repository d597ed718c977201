"""SageMaker's compute quotas behind the real client, and a Kubernetes API of plain objects."""

from datetime import UTC, datetime
from typing import Any

from commons.domain.errors import Throttled
from tests.aws_fake import FakeAws, Refused

BEGIN = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)
Object = dict[str, Any]


class QuotasFake(FakeAws):
    """Ends what was begun when `settle` is called. `race`: what happens just before an update."""

    def __init__(self) -> None:
        super().__init__("sagemaker")
        self.quotas: dict[str, Object] = {}
        self.nodes = {"ml.p5.48xlarge": 2}
        self.race: Any = None
        self.answer("ListComputeQuotas", self._list)
        self.answer("DescribeComputeQuota", self._describe)
        self.answer("CreateComputeQuota", self._create)
        self.answer("UpdateComputeQuota", self._update)
        self.answer("DeleteComputeQuota", self._delete)
        self.answer("DescribeCluster", self._cluster)

    def put(self, team: str, name: str = "", status: str = "Created", **fields: Any) -> Object:
        """A quota that somebody made."""
        identity = f"q{len(self.quotas):011}"
        known = {
            "ComputeQuotaId": identity,
            "ComputeQuotaArn": f"arn:aws:sagemaker:us-west-2:111122223333:compute-quota/{identity}",
            "Name": name or f"by-hand-{team}",
            "ComputeQuotaVersion": 1,
            "Status": status,
            "ClusterArn": "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56",
            "ComputeQuotaTarget": {"TeamName": team, "FairShareWeight": 0},
            "ActivationState": "Enabled",
            "CreationTime": BEGIN,
        }
        self.quotas[identity] = {**known, **fields}
        return self.quotas[identity]

    def of_team(self, team: str) -> Object:
        (found,) = [q for q in self.quotas.values() if q["ComputeQuotaTarget"]["TeamName"] == team]
        return found

    def settle(self, status: str | None = None, **fields: Any) -> None:
        """What is under way is done, or failed."""
        ends = {"Creating": "Created", "Updating": "Updated"}
        for quota in self.quotas.values():
            if quota["Status"] in ends:
                quota |= {"Status": status or ends[quota["Status"]], **fields}

    def _list(self, ClusterArn: str, NameContains: str = "", **_: Any) -> Object:
        hidden = ("FailureReason", "Description")
        found = [
            {key: value for key, value in quota.items() if key not in hidden}
            for quota in self.quotas.values()
            if quota["ClusterArn"] == ClusterArn and NameContains in quota["Name"]
        ]
        return {"ComputeQuotaSummaries": found}

    def _describe(self, ComputeQuotaId: str) -> Object:
        return self.quotas[ComputeQuotaId]

    def _create(self, Name: str, Tags: Any, **fields: Any) -> Object:
        team = fields["ComputeQuotaTarget"]["TeamName"]
        live = [q for q in self.quotas.values() if q["Status"] != "Deleted"]
        if any(q["ComputeQuotaTarget"]["TeamName"] == team for q in live):
            raise Refused("ConflictException")
        made = self.put(team, Name, "Creating", **_filled(fields))
        return {key: made[key] for key in ("ComputeQuotaArn", "ComputeQuotaId")}

    def _update(self, ComputeQuotaId: str, TargetVersion: int, **fields: Any) -> Object:
        if self.race:
            self.race, happens = None, self.race
            happens()
        quota = self.quotas[ComputeQuotaId]
        if quota["ComputeQuotaVersion"] != TargetVersion:
            raise Refused("ConflictException")
        quota |= {"Status": "Updating", "ComputeQuotaVersion": TargetVersion + 1}
        quota |= {"LastModifiedTime": BEGIN, **_filled(fields)}
        return {"ComputeQuotaArn": quota["ComputeQuotaArn"], "ComputeQuotaVersion": 2}

    def _delete(self, ComputeQuotaId: str) -> Object:
        if ComputeQuotaId not in self.quotas:
            raise Refused("ResourceNotFound")
        self.quotas[ComputeQuotaId] |= {"Status": "Deleting"}
        return {}

    def _cluster(self, ClusterName: str) -> Object:
        groups = [
            {"InstanceType": name, "TargetCount": count} for name, count in self.nodes.items()
        ]
        return {
            "ClusterArn": ClusterName,
            "ClusterStatus": "InService",
            "InstanceGroups": groups,
        }


def _filled(fields: Object) -> Object:
    """As AWS does: amounts that nobody gave."""
    config = fields["ComputeQuotaConfig"]
    rows = [
        {**row, "VCpu": 24.0 * row.get("Accelerators", 1), "MemoryInGiB": 256.0}
        for row in config["ComputeQuotaResources"]
    ]
    sharing = {"BorrowLimit": 50, **config["ResourceSharingConfig"]}
    filled = {**config, "ComputeQuotaResources": rows, "ResourceSharingConfig": sharing}
    return {**fields, "ComputeQuotaConfig": filled}


def _permits(rule: Object, wanted: Object) -> bool:
    resource = "/".join(filter(None, (wanted["resource"], wanted.get("subresource"))))
    return (
        wanted["verb"] in rule["verbs"]
        and wanted.get("group", "") in rule["apiGroups"]
        and resource in rule["resources"]
    )


class KubernetesFake:
    """Same methods as the adapter. `writes`: verb, kind and name. `fail_after`: writes until the
    API stops answering.
    """

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str, str | None], Object] = {}
        self.writes: list[tuple[str, str, str]] = []
        self.reads = 0
        self.fail_after: int | None = None
        self._applied: dict[tuple[str, str, str | None], Object] = {}

    def put(self, kind: str, name: str, namespace: str | None = None, **fields: Any) -> Object:
        metadata = {"name": name, "labels": fields.pop("labels", {})}
        where = {"namespace": namespace} if namespace else {}
        made = {"kind": kind, "metadata": {**metadata, **where}, **fields}
        self.objects[kind, name, namespace] = made
        return made

    def get(self, kind: str, name: str, namespace: str | None = None) -> Object | None:
        self.reads += 1
        return self.objects.get((kind, name, namespace))

    def list(self, kind: str, namespace: str | None = None, labels: Any = None) -> list[Object]:
        self.reads += 1
        return [
            {key: value for key, value in each.items() if key != "apiVersion"}
            for (its, _, where), each in self.objects.items()
            if its == kind and namespace in (None, where)
        ]

    def allows(self, spec: Object) -> bool:
        """As RBAC does, of namespaces only."""
        wanted, namespace = spec["resourceAttributes"], spec["resourceAttributes"]["namespace"]
        named = {("User", spec["user"]), *(("Group", group) for group in spec["groups"])}
        for binding in self.list("RoleBinding", namespace):
            if named & {(each["kind"], each["name"]) for each in binding["subjects"]}:
                role = self.objects.get(("Role", binding["roleRef"]["name"], namespace), {})
                if any(_permits(rule, wanted) for rule in role.get("rules", [])):
                    return True
        return False

    def apply(self, wanted: Object) -> None:
        key = self._key(wanted)
        self._write("apply", key)
        found = self.objects.get(key, {"metadata": {}})
        if found.get("roleRef", wanted.get("roleRef")) != wanted.get("roleRef"):
            raise ValueError("roleRef is immutable")
        metadata = {**found["metadata"], **wanted["metadata"]}
        for name in ("labels", "annotations"):
            mine = wanted["metadata"].get(name) or {}
            dropped = self._applied.get(key, {}).get(name, {}).keys() - mine.keys()
            theirs = found["metadata"].get(name) or {}
            metadata[name] = {k: v for k, v in {**theirs, **mine}.items() if k not in dropped}
        self._applied[key] = wanted["metadata"]
        spec = {"spec": {**found.get("spec", {}), **wanted["spec"]}} if "spec" in wanted else {}
        self.objects[key] = {**found, **wanted, **spec, "metadata": metadata}

    def delete(self, unwanted: Object) -> None:
        key = self._key(unwanted)
        self._write("delete", key)
        self.objects.pop(key, None)

    def tasks(self, namespace: str, running: int, pending: int = 0) -> None:
        """Kueue's Workloads of a namespace, in place of those that were there."""
        for key in [key for key in self.objects if key[0] == "Workload"]:
            del self.objects[key]
        for number in range(running + pending):
            status = "True" if number < running else "False"
            reserved = {"conditions": [{"type": "QuotaReserved", "status": status}]}
            self.put("Workload", f"w{number}", namespace, status=reserved)

    def _write(self, verb: str, key: tuple[str, str, str | None]) -> None:
        if self.fail_after is not None and len(self.writes) >= self.fail_after:
            raise Throttled("the API does not answer")
        self.writes.append((verb, key[0], key[1]))

    def _key(self, obj: Object) -> tuple[str, str, str | None]:
        metadata = obj["metadata"]
        return obj["kind"], metadata["name"], metadata.get("namespace")
