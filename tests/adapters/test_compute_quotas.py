"""What SageMaker refuses, and how nodes are counted."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from commons.adapters.compute_quotas import ComputeQuotas
from commons.domain.documents import NamespaceSpec
from commons.domain.errors import Blocked, ChangedMeanwhile, ProvisioningFailed
from commons.domain.quota import create_request
from tests.aws_fake import Refused
from tests.cluster_fakes import QuotasFake

CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"


@pytest.fixture
def sagemaker() -> QuotasFake:
    return QuotasFake()


def refuse(sagemaker: QuotasFake, operation: str, code: str) -> None:
    def answer(**_: Any) -> dict[str, Any]:
        raise Refused(code, "said so")

    sagemaker.answer(operation, answer)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("ConflictException", ChangedMeanwhile),
        ("ResourceLimitExceeded", ProvisioningFailed),
        ("ValidationException", ProvisioningFailed),
        ("SomethingNew", ClientError),
    ],
)
def test_a_quota_that_is_refused_says_what_should_happen(
    sagemaker: QuotasFake, code: str, error: type[Exception]
) -> None:
    refuse(sagemaker, "CreateComputeQuota", code)
    request = create_request("alpha", NamespaceSpec.model_validate({"cluster": CLUSTER}))

    with pytest.raises(error, match="said so"):
        ComputeQuotas(sagemaker.client).create(request)


def test_nodes_are_added_up_over_the_groups_of_a_type(sagemaker: QuotasFake) -> None:
    groups = [
        {"InstanceType": "ml.p5.48xlarge", "TargetCount": 2, "CurrentCount": 1},
        {"InstanceType": "ml.p5.48xlarge", "TargetCount": 3},
        {"InstanceType": "ml.c5.4xlarge", "TargetCount": 1},
    ]
    answer = {"ClusterArn": CLUSTER, "ClusterStatus": "InService", "InstanceGroups": groups}
    sagemaker.answer("DescribeCluster", lambda **_: answer)

    found = ComputeQuotas(sagemaker.client).nodes(CLUSTER)

    assert found == {"ml.p5.48xlarge": 5, "ml.c5.4xlarge": 1}


@pytest.mark.parametrize(
    ("code", "error"), [("ResourceNotFound", Blocked), ("SomethingNew", ClientError)]
)
def test_a_cluster_that_does_not_exist_blocks(
    sagemaker: QuotasFake, code: str, error: type[Exception]
) -> None:
    refuse(sagemaker, "DescribeCluster", code)

    with pytest.raises(error):
        ComputeQuotas(sagemaker.client).nodes(CLUSTER)


def test_only_the_team_of_exactly_that_name_is_found(sagemaker: QuotasFake) -> None:
    sagemaker.put("alpha-x")
    wanted = sagemaker.put("alpha")
    other = sagemaker.put("beta")
    other["ClusterArn"] = CLUSTER.replace("ab12", "zz12")
    quotas = ComputeQuotas(sagemaker.client)

    found = quotas.find(CLUSTER, "alpha")

    assert found is not None
    assert found.id == wanted["ComputeQuotaId"]
    assert quotas.find(CLUSTER, "beta") is None
    assert {each.team_name for each in quotas.of_cluster(CLUSTER)} == {"alpha", "alpha-x"}
