"""Which machines the shared cluster has: said once, for HyperPod's answers and for the nodes."""

import re

import pytest

from local import nodes
from local.nodes import BadNodes, Group


def test_counts_are_read_by_instance_type():
    told = "ml.p5.48xlarge=4, ml.g5.8xlarge=2"
    assert nodes.parse(told) == {"ml.p5.48xlarge": 4, "ml.g5.8xlarge": 2}


def test_what_is_read_can_be_written_and_read_again():
    counts = {"ml.p5.48xlarge": 125, "ml.g5.8xlarge": 0}
    assert nodes.parse(nodes.render(counts)) == counts


def test_a_cluster_may_have_no_machines_at_all():
    assert nodes.parse("") == {}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("ml.p5.48xlarge", "'ml.p5.48xlarge' is not INSTANCE_TYPE=COUNT"),
        ("ml.p5.48xlarge=many", "is not INSTANCE_TYPE=COUNT"),
        ("ml.p5.48xlarge=-1", "is not INSTANCE_TYPE=COUNT"),
        ("p5.48xlarge=1", "is not INSTANCE_TYPE=COUNT"),
        ("ml.p5.48xlarge=1,ml.p5.48xlarge=2", "ml.p5.48xlarge is given twice"),
        ("ml.p99.48xlarge=1", "ml.p99.48xlarge is not a known"),
    ],
)
def test_what_cannot_be_read_is_named(text, named):
    with pytest.raises(BadNodes, match=re.escape(named)):
        nodes.parse(text)


def test_a_group_keeps_its_name_and_others_are_called_after_their_type():
    assert nodes.groups({"ml.p5.48xlarge": 1, "ml.g5.8xlarge": 2}) == [
        Group("gpu-h100", "ml.p5.48xlarge", 1),
        Group("g5-8xlarge", "ml.g5.8xlarge", 2),
    ]


def test_a_part_is_told_the_machines_by_its_environment(monkeypatch):
    monkeypatch.delenv(nodes.VARIABLE, raising=False)
    assert nodes.wanted() == nodes.groups(nodes.default())
    monkeypatch.setenv(nodes.VARIABLE, "ml.g5.8xlarge=2")
    assert nodes.wanted() == [Group("g5-8xlarge", "ml.g5.8xlarge", 2)]
    monkeypatch.setenv(nodes.VARIABLE, "")
    assert nodes.wanted() == []


def test_a_machine_is_called_the_same_each_time_and_like_no_other():
    ids = {nodes.instance_id("arn", group, number) for group in "ab" for number in range(3)}
    assert len(ids) == 6
    assert nodes.instance_id("arn", "a", 0) in ids
    assert all(re.fullmatch("i-[0-9a-f]{17}", one) for one in ids)
