"""The template as it is deployed: whole, and each function with all that it needs to start."""

import json


def test_each_function_finds_every_package_in_its_layers(cloud):
    functions = cloud.client("lambda")
    pages = functions.get_paginator("list_functions").paginate()
    names = [f["FunctionName"] for page in pages for f in page["Functions"]]
    assert names
    told = {}
    for name in names:
        answer = functions.invoke(FunctionName=name, Payload=b'{"no": "input of any function"}')
        failure = json.loads(answer["Payload"].read()) if answer.get("FunctionError") else {}
        if failure.get("errorType") in {"Runtime.ImportModuleError", "Runtime.ExitError"}:
            told[name] = failure["errorMessage"]
    assert told == {}


def test_the_command_finds_the_stack_and_its_parts(cloud):
    answer = cloud.commons("local", "status")
    assert answer["running"] is True
    assert answer["fixtures"]["identity_store_id"] == cloud.outputs["IdentityStoreId"]
    assert answer["fixtures"]["instance_arn"] == cloud.outputs["InstanceArn"]
    assert answer["fixtures"]["cost_report_bucket"] == cloud.outputs["CostReportBucket"]
