"""The rule of `publish_chargeback` starts for manifests, and only for them."""

import json
from fnmatch import fnmatchcase

import pytest

from tests.template.template import ROOT, resources

MANIFESTS = [
    "cost_report_delivered",
    "cost_report_delivered_execution_copy",
    "cost_report_delivered_odd_period",
]


def starts(name: str, prefix: str = "") -> bool:
    machine = resources("AWS::Serverless::StateMachine")["PublishChargeback"]
    pattern = machine["Events"]["CostReport"]["Properties"]["Pattern"]
    event = json.loads((ROOT / "events" / f"{name}.json").read_text())
    assert event["source"] in pattern["source"]
    assert event["detail-type"] in pattern["detail-type"]
    wildcard = pattern["detail"]["object"]["key"][0]["wildcard"]["Fn::Sub"]
    key = event["detail"]["object"]["key"]
    return fnmatchcase(key, wildcard.replace("${CostReportPrefix}", prefix))


@pytest.mark.parametrize("prefix", ["", "cur2/"])
@pytest.mark.parametrize("name", MANIFESTS)
def test_both_copies_of_a_manifest_start_it(name: str, prefix: str) -> None:
    assert starts(name, prefix)


def test_cb_03_a_data_file_starts_nothing() -> None:
    assert not starts("cost_report_data_file_written")
    assert not starts(MANIFESTS[0], "another/")
