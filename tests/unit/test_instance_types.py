"""One dominant resource per instance type, right for every type a HyperPod cluster can have."""

import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import botocore.session
import moto
import pytest

from commons.domain import instance_types

EC2_FACTS = Path(moto.__file__).parent / "ec2" / "resources" / "instance_types.json.gz"


@pytest.fixture(scope="module")
def ec2() -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(gzip.decompress(EC2_FACTS.read_bytes()))
    return facts


def test_every_type_that_hyperpod_takes_is_known() -> None:
    model = botocore.session.get_session().get_service_model("sagemaker")
    offered = set(model.shape_for("ClusterInstanceType").enum)
    assert offered - set(instance_types.known()) == set()


def test_the_figures_are_those_of_ec2(ec2: dict[str, Any]) -> None:
    compared = 0
    for name, ours in instance_types.known().items():
        facts = ec2.get(name.removeprefix("ml."))
        # the public data lists no Neuron devices for the ultraserver's trn2u
        if facts is None or name == "ml.trn2u.48xlarge":
            continue
        gpus = sum(gpu["Count"] for gpu in facts.get("GpuInfo", {}).get("Gpus", []))
        neuron = facts.get("NeuronInfo", {}).get("NeuronDevices", [])
        cores = neuron[0]["CoreInfo"]["Count"] if neuron else 0
        theirs = (
            facts["VCpuInfo"]["DefaultVCpus"],
            Decimal(facts["MemoryInfo"]["SizeInMiB"]) / 1024,
            gpus + sum(device["Count"] for device in neuron),
            cores,
        )
        assert (
            ours.vcpu,
            ours.memory_gib,
            ours.accelerators,
            ours.neuron_cores_a_device,
        ) == theirs, name
        compared += 1
    assert compared > 150


@pytest.mark.parametrize(
    ("name", "devices", "resource"),
    [
        ("ml.p5.48xlarge", 8, "nvidia.com/gpu"),
        ("ml.p6e-gb200.36xlarge", 4, "nvidia.com/gpu"),
        ("ml.trn2.48xlarge", 16, "aws.amazon.com/neurondevice"),
        ("ml.c5.9xlarge", 36, "cpu"),
        ("ml.m7g.medium", 1, "cpu"),
    ],
)
def test_a_node_is_counted_by_accelerators_else_by_vcpus(
    name: str, devices: int, resource: str
) -> None:
    found = instance_types.find(name)
    assert found is not None
    assert (found.devices, found.resource) == (devices, resource)
    assert instance_types.devices(name) == devices


def test_an_unknown_type_has_no_figures() -> None:
    assert instance_types.find("ml.p9.48xlarge") is None
    assert instance_types.devices("ml.p9.48xlarge") is None


def quantities(**amounts: str) -> dict[str, Decimal]:
    names = {"gpu": "nvidia.com/gpu", "neuron": "aws.amazon.com/neuron", "cpu": "cpu"}
    names |= {
        "device": "aws.amazon.com/neurondevice",
        "core": "aws.amazon.com/neuroncore",
        "mig_1g": "nvidia.com/mig-1g.10gb",
        "mig_3g": "nvidia.com/mig-3g.40gb",
        "mig_odd": "nvidia.com/mig-all",
        "mig_a30": "nvidia.com/mig-2g.12gb",
    }
    return {names[key]: Decimal(value) for key, value in amounts.items()}


@pytest.mark.parametrize(
    ("instance_type", "asked", "expected"),
    [
        ("ml.p5.48xlarge", quantities(gpu="16", cpu="184"), "16"),
        ("ml.p5.48xlarge", quantities(cpu="184"), "0"),
        ("ml.c5.9xlarge", quantities(cpu="3.5", gpu="1"), "3.5"),
        ("ml.trn1.32xlarge", quantities(neuron="4"), "4"),
        ("ml.trn1.32xlarge", quantities(device="4", neuron="4"), "4"),
        ("ml.trn1.32xlarge", quantities(core="4"), "2"),
        ("ml.trn2.48xlarge", quantities(core="4"), "0.5"),
        ("ml.p5.48xlarge", quantities(mig_1g="2", mig_3g="1", gpu="1"), "1.7142857143"),
        ("ml.p5.48xlarge", quantities(mig_odd="1"), "1"),
        ("ml.p5.48xlarge", quantities(mig_1g="7"), "1"),
        ("ml.a30.48xlarge", quantities(mig_a30="3", mig_1g="7"), "2.5"),
        ("ml.p9.48xlarge", quantities(gpu="8", cpu="100"), "8"),
        ("ml.p9.48xlarge", quantities(cpu="100"), "100"),
    ],
)
def test_requests_are_counted_in_the_dominant_resource(
    instance_type: str, asked: dict[str, Decimal], expected: str
) -> None:
    assert instance_types.devices_in(instance_type, asked) == Decimal(expected)


@pytest.mark.parametrize(
    ("instance_type", "entry", "expected"),
    [
        ("ml.p5.48xlarge", {"count": 2}, "16"),
        ("ml.p5.48xlarge", {"accelerators": 12}, "12"),
        ("ml.p5.48xlarge", {"vcpu": 96}, "0"),
        ("ml.c5.9xlarge", {"count": 2}, "72"),
        ("ml.c5.9xlarge", {"vcpu": 10}, "10"),
        ("ml.c5.9xlarge", {"memory_gib": 18}, "9"),
        ("ml.c5.9xlarge", {"count": 1, "accelerators": 0}, "36"),
        ("ml.p9.48xlarge", {"accelerators": 8}, "8"),
        ("ml.p9.48xlarge", {"count": 1}, None),
        ("ml.p9.48xlarge", {"vcpu": 1}, None),
    ],
)
def test_a_quota_entry_grants_devices_as_aws_fills_it(
    instance_type: str, entry: dict[str, int], expected: str | None
) -> None:
    granted = instance_types.quota_devices(instance_type, **entry)
    assert granted == (None if expected is None else Decimal(expected))
