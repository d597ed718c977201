"""Every permission of a function is told with its reason, and no reason is left of another."""

import yaml

from cli.security_functions import REASONS, functions, granted


def test_each_service_of_each_function_has_a_reason_and_no_other() -> None:
    why = yaml.safe_load(REASONS.read_text())["why"]
    told = {(name, service) for name, services in why.items() for service in services}
    assert told == set(granted())


def test_what_is_granted_is_told_with_its_resource_and_without_what_is_the_same_for_all() -> None:
    found = granted()
    assert found["OnTeamDocumentFunction", "s3"] == [
        "`GetObject` on `ConfigurationBucket/documents/*`",
        "`ListBucket` on `ConfigurationBucket`",
        "`PutObject` on `ConfigurationBucket/accepted/*`",
    ]
    assert found["ReconcileNamespaceFunction", "sts"] == ["`AssumeRole` on `role/cluster-writer`"]
    # one statement of two services is told at both
    assert found["SweepTeamsFunction", "iam"] == ["`ListRoles` on `*`"]
    assert "AWS::" not in functions()
