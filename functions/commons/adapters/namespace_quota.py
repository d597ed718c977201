"""Applies what `domain.quota` plans: one compute quota of a namespace, until Kubernetes has it."""

from commons.adapters.compute_quotas import ComputeQuotas
from commons.adapters.kubernetes import Kubernetes
from commons.domain import queue_hold, quota
from commons.domain.capacity import growing, overcommitted
from commons.domain.documents import ClusterDocument, NamespaceSpec
from commons.domain.errors import QuotaExceedsCapacity, StillConverging, StillDraining
from commons.domain.names import local_queue_name, namespace_name, quota_team_name
from commons.domain.namespace_objects import SAGEMAKER_LABEL


class NamespaceQuota:
    """`actions` and `warnings` grow with what was done, or would be where a cluster is observed."""

    def __init__(self, quotas: ComputeQuotas, kubernetes: Kubernetes) -> None:
        self._quotas = quotas
        self._kubernetes = kubernetes
        self.actions: list[str] = []
        self.warnings: list[str] = []

    def reach(self, team: str, spec: NamespaceSpec, cluster: ClusterDocument) -> quota.Quota | None:
        """The quota as it should be; None where it may not be made. Raises while it is not."""
        found = self._quotas.find(spec.cluster, quota_team_name(team, spec.project))
        reasons = quota.must_be_updated(spec.quota, found) if found else ["there is none"]
        if reasons or cluster.overcommit == "warn":
            self._fit(spec, found, cluster)
        if not reasons:
            return found
        verb = "update" if found else "create"
        self.actions.append(f"{verb} the compute quota: {', '.join(reasons)}")
        if cluster.mode == "observe":
            return found
        if found:
            self._quotas.update(quota.update_request(team, spec, found))
        else:
            self._quotas.create(quota.create_request(team, spec))
        raise StillConverging(f"The compute quota of {spec.cluster} was asked for; {verb} began")

    def leave(self, team: str, spec: NamespaceSpec, delete: bool) -> quota.Quota | None:
        """What is left of the quota of a team that leaves, once nothing runs; None: nothing.

        Deletes it where that is allowed. Raises StillDraining and StillConverging.
        """
        namespace = namespace_name(team, spec.project)
        queue = self._kubernetes.get("LocalQueue", local_queue_name(namespace), namespace)
        tasks = queue_hold.load(self._kubernetes.list("Workload", namespace))
        if tasks.running or not queue_hold.is_held(queue):
            raise StillDraining(
                f"{namespace} is left when nothing runs in it any more: {tasks}. Wait, or have "
                "them ended by their owners"
            )
        found = self._quotas.find(spec.cluster, quota_team_name(team, spec.project))
        if found is None or not delete:
            return found
        if found.status != "Deleting":
            self._quotas.delete(found.id)
        raise StillConverging(
            f"The compute quota {found.name} is being deleted: {found.status} until now"
        )

    def _fit(
        self, spec: NamespaceSpec, found: quota.Quota | None, cluster: ClusterDocument
    ) -> None:
        if cluster.overcommit == "allow":
            return
        wanted = quota.wanted_devices(spec.quota)
        others = self._quotas.of_cluster(spec.cluster)
        faults = overcommitted(wanted, found, others, self._quotas.nodes(spec.cluster))
        if cluster.overcommit == "warn":
            self.warnings += faults.values()
        elif refused := [faults[name] for name in faults if name in growing(wanted, found)]:
            raise QuotaExceedsCapacity(
                f"The quotas of {cluster.name} would exceed it ({'; '.join(refused)}): ask for "
                "less, take from another team, or set the cluster document's overcommit"
            )

    def wait_for_namespace(self, team: str, project: str | None) -> None:
        """Return once namespace and queue are there. They follow the quota by a minute or two."""
        name = namespace_name(team, project)
        namespace = self._kubernetes.get("Namespace", name)
        if namespace is None:
            raise StillConverging(f"The namespace {name} is not there yet: its quota is to make it")
        if (namespace["metadata"].get("labels") or {}).get(SAGEMAKER_LABEL) != "true":
            raise StillConverging(
                f"The namespace {name} is there, and its quota does not manage it: it lacks the "
                f"label {SAGEMAKER_LABEL}=true"
            )
        queue = local_queue_name(name)
        if self._kubernetes.get("LocalQueue", queue, name) is None:
            raise StillConverging(f"The LocalQueue {queue} is not there yet: tasks could not start")
