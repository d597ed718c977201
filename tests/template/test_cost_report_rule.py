"""The rule of `publish_chargeback` starts for manifests, and only for them."""

import json
from fnmatch import fnmatchcase

import pytest

from tests.template.template import ROOT, resources

MANIFESTS = [
    "cost_report_delivered",
    "cost_report_delivered_execution_copy",
    "cost_report_delivered_odd_period",
    "older_cost_report_delivered",
    "older_cost_report_delivered_assembly_copy",
]
OTHERS = [
    "cost_report_data_file_written",
    "older_cost_report_data_file_written",
    "older_cost_report_redshift_manifest_written",
]


def starts(name: str, prefix: str = "") -> bool:
    machine = resources("AWS::Serverless::StateMachine")["PublishChargeback"]
    pattern = machine["Events"]["CostReport"]["Properties"]["Pattern"]
    event = json.loads((ROOT / "events" / f"{name}.json").read_text())
    assert event["source"] in pattern["source"]
    assert event["detail-type"] in pattern["detail-type"]
    wildcards = [each["wildcard"]["Fn::Sub"] for each in pattern["detail"]["object"]["key"]]
    key = event["detail"]["object"]["key"]
    return any(fnmatchcase(key, w.replace("${CostReportPrefix}", prefix)) for w in wildcards)


@pytest.mark.parametrize("prefix", ["", "cur"])
@pytest.mark.parametrize("name", MANIFESTS)
def test_both_copies_of_a_manifest_start_it(name: str, prefix: str) -> None:
    assert starts(name, prefix)


@pytest.mark.parametrize("name", OTHERS)
def test_cb_03_a_data_file_starts_nothing(name: str) -> None:
    assert not starts(name)


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_below_another_prefix_starts_nothing(name: str) -> None:
    assert not starts(name, "another/")
