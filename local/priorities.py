"""The cluster's priority classes, as its administrator sets them once for all of HyperPod."""

from typing import Any

from local.services.fixtures import CLUSTER_ARN

USUAL = {"inference": 90, "training": 70, "experimentation": 10}


def set_up(sagemaker: Any, classes: dict[str, int], cluster: str = CLUSTER_ARN) -> bool:
    """Give the cluster these classes by name and weight; False where it has a policy already."""
    found = sagemaker.list_cluster_scheduler_configs(ClusterArn=cluster)
    if found["ClusterSchedulerConfigSummaries"]:
        return False
    listed = [{"Name": name, "Weight": weight} for name, weight in classes.items()]
    sagemaker.create_cluster_scheduler_config(
        Name="priorities",
        ClusterArn=cluster,
        SchedulerConfig={"PriorityClasses": listed, "FairShare": "Enabled"},
    )
    return True
