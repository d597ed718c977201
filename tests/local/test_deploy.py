"""Deploying to the local cloud: its parameters, and what is shown when it fails."""

import pytest
import yaml

from local import deploy, settings
from local.settings import Ports
from local.state import State

FIXTURES = {
    "identity_store_id": "d-9067a1b2c3",
    "instance_arn": "arn:aws:sso:::instance/ssoins-7907a1b2c3d4e5f6",
    "cost_report_bucket": "reports",
}
NOWHERE = Ports(gateway=1, events=1, directory=1, kubernetes=1)


class _Tags(yaml.SafeLoader):
    """Reads a template without understanding its functions."""


_Tags.add_multi_constructor("!", lambda *_: None)


def test_the_parameters_are_the_templates():
    text = (settings.CHECKOUT / "template.yaml").read_text()
    known = yaml.load(text, Loader=_Tags)["Parameters"]  # noqa: S506 - a safe loader
    values = deploy.parameters(State(ports=NOWHERE, parts={}, fixtures=FIXTURES))
    assert set(values) <= set(known)
    required = {name for name, parameter in known.items() if "Default" not in parameter}
    assert required <= {*values, "Architecture"}


def test_a_template_that_cannot_be_built_shows_the_end_of_what_sam_said(tmp_path):
    template = tmp_path / "template.yaml"
    template.write_text("Resources: [")
    with pytest.raises(deploy.DeployFailed, match=r"(?s)sam build ended with \d:.*pars"):
        deploy.deploy_template(NOWHERE, template, "s", {}, tmp_path / "build")


@pytest.mark.parametrize(
    ("machine", "architecture"), [("x86_64", "x86_64"), ("arm64", "arm64"), ("aarch64", "arm64")]
)
def test_functions_are_built_for_this_machine(monkeypatch, machine, architecture):
    monkeypatch.setattr(deploy.platform, "machine", lambda: machine)
    assert deploy._architecture() == architecture
