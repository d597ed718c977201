"""Buckets of AWS's usage report are read where the stack was told of them, and never written."""

from tests.template.template import resources, template


def test_no_bucket_is_read_unless_the_stack_was_told_of_one() -> None:
    assert template()["Parameters"]["UsageReportBuckets"]["Default"] == ""
    policy = template()["Resources"]["UsageReportPolicy"]
    assert policy["Condition"] == "UsageReportsAreRead"
    condition = template()["Conditions"]["UsageReportsAreRead"]
    assert condition == {"Fn::Not": [{"Fn::Equals": [{"Ref": "UsageReportBuckets"}, ""]}]}


def test_what_is_granted_is_to_read() -> None:
    document = resources("AWS::IAM::Policy")["UsageReportPolicy"]["PolicyDocument"]
    actions = {each["Action"] for each in document["Statement"]}
    assert actions == {"s3:ListBucket", "s3:GetObject", "sagemaker:DescribeCluster"}
    assert all(each["Resource"] != "*" for each in document["Statement"])
