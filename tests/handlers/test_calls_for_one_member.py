"""The calls that one member more of an existing team costs, as docs/performance.md lists them."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from commons import bootstrap
from commons.adapters.access_entries import AccessEntries
from commons.adapters.compute_quotas import ComputeQuotas
from commons.adapters.iam_roles import IamRoles
from commons.adapters.namespace_quota import NamespaceQuota
from commons.adapters.namespace_shape import NamespaceShape
from commons.adapters.permission_sets import PermissionSets
from commons.adapters.team_access import TeamAccess
from commons.adapters.usage_table import UsageTable
from commons.domain.errors import StillConverging
from commons.domain.namespace_objects import SAGEMAKER_LABEL
from teams import reconcile_access, reconcile_members, reconcile_namespace, reconcile_quota
from tests.access_fakes import INSTANCE, EksFake, IamFake, IdentityCenterFake
from tests.cluster_fakes import KubernetesFake, QuotasFake
from tests.directory_fake import DirectoryFake
from tests.handlers.reconcile_support import Context, Table, directory, step, tables

# a team of two with one group, on one cluster with one namespace
DIRECTORY = {"ListGroupMemberships": 1, "DescribeUser": 3}
ACCESS = {
    "DescribePermissionSet": 1,
    "GetInlinePolicyForPermissionSet": 1,
    "ListTagsForResource": 1,
    "ListAccountsForProvisionedPermissionSet": 1,
    "ListAccountAssignments": 1,
    "ListRoles": 1,
    "DescribeAccessEntry": 1,
}
QUOTA = {"ListComputeQuotas": 1, "DescribeComputeQuota": 1}
# the namespace, its queue, and a list of each kind that we shape
KUBERNETES_READS = 8
KUBERNETES_WRITES = [("apply", "RoleBinding", "commons-member")]
TABLE_WRITES = {"BatchWriteItem": 2}


class Company:
    """Every system that the four facets speak to."""

    def __init__(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        self.table = table
        self.directory = DirectoryFake()
        self.iam = IamFake()
        self.center = IdentityCenterFake(self.iam)
        self.eks = EksFake()
        self.sagemaker = QuotasFake()
        self.kubernetes = KubernetesFake()
        self.table_calls: Counter[str] = Counter()
        table.raw.meta.client.meta.events.register(
            "before-parameter-build.dynamodb",
            lambda model, **_: self.table_calls.update([model.name]),
        )
        parts = {
            "team_table": lambda: table.teams,
            "member_table": lambda: table.members,
            "identity_store": lambda: directory(self.directory),
            "team_access": self._access,
            "usage_table": lambda: UsageTable(table.raw),
            "namespace_quota": lambda _: NamespaceQuota(
                ComputeQuotas(self.sagemaker.client), self.kubernetes
            ),
            "namespace_shape": lambda _: NamespaceShape(self.kubernetes),
        }
        for name, part in parts.items():
            monkeypatch.setattr(bootstrap, name, part)

    def _access(self) -> TeamAccess:
        sets = PermissionSets(self.center.client, INSTANCE, lambda _: None)
        entries = AccessEntries(self.eks.client)
        return TeamAccess(sets, IamRoles(self.iam.client), lambda _: entries)

    def reconcile(self) -> None:
        """What the state machine does, waits left out."""
        context: Any = Context()
        reconcile_members.handler({"team": "alpha"}, context)
        reconcile_access.handler({"team": "alpha"}, context)
        try:
            reconcile_quota.handler(step(), context)
        except StillConverging:
            self.sagemaker.settle()
            reconcile_quota.handler(step(), context)
        reconcile_namespace.handler(step(), context)

    def forget(self) -> None:
        for each in (self.directory, self.iam, self.center, self.eks, self.sagemaker):
            each.calls.clear()
        self.table_calls.clear()
        self.kubernetes.writes.clear()
        self.kubernetes.reads = 0

    def calls(self, *services: Any) -> dict[str, int]:
        return dict(Counter(name for each in services for name, _ in each.calls))


@pytest.fixture
def company(monkeypatch: pytest.MonkeyPatch) -> Iterator[Company]:
    with tables() as table:
        made = Company(table, monkeypatch)
        table.cluster()
        table.team(groups={"member": ["gpu-alpha"]})
        people = [made.directory.user("ada"), made.directory.user("grace")]
        made.directory.group("11111111-2222-4333-8444-555555555555", "gpu-alpha", people)
        namespace = "hyperpod-ns-alpha"
        made.kubernetes.put("Namespace", namespace, labels={SAGEMAKER_LABEL: "true"})
        made.kubernetes.put("LocalQueue", f"{namespace}-localqueue", namespace)
        made.reconcile()
        made.forget()
        yield made


def test_one_member_more_costs_these_calls(company: Company) -> None:
    (members,) = company.directory.members.values()
    members.append(company.directory.user("alan"))

    company.reconcile()

    assert company.calls(company.directory) == DIRECTORY
    assert company.calls(company.center, company.iam, company.eks) == ACCESS
    assert company.calls(company.sagemaker) == QUOTA
    assert company.kubernetes.reads == KUBERNETES_READS
    assert company.kubernetes.writes == KUBERNETES_WRITES
    reads = {"GetItem", "Query"}
    written = {name: n for name, n in company.table_calls.items() if name not in reads}
    assert written == TABLE_WRITES


def test_nothing_changed_is_nothing_written_anywhere(company: Company) -> None:
    company.reconcile()

    every = (company.directory, company.center, company.iam, company.eks, company.sagemaker)
    assert [write for each in every for write in each.writes] == []
    assert company.kubernetes.writes == []
    assert set(company.table_calls) == {"GetItem", "Query"}
