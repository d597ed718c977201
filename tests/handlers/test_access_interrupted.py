"""An access facet that dies half-way leaves nothing that a later one would not take away."""

import pytest

from commons.domain.errors import ProvisioningFailed
from tests.handlers import test_reconcile_access as whole
from tests.handlers.test_reconcile_access import Stage

BROKEN = "41111111-2222-4333-8444-555555555555"
MORE = "31111111-2222-4333-8444-555555555555"


stage = whole.stage


def test_a_group_assigned_by_a_run_that_then_failed_loses_it_when_it_is_dropped(
    stage: Stage,
) -> None:
    stage.run()
    stage.pin("gpu-alpha-more", MORE)
    stage.pin("gpu-alpha-broken", BROKEN)
    stage.center.fail = {BROKEN}
    with pytest.raises(ProvisioningFailed):
        stage.run()
    assert MORE in {group for _, _, group in stage.center.assigned}

    for name in ("gpu-alpha-more", "gpu-alpha-broken"):
        stage.table.members.unpin("alpha", name, stage.table.members.pins("alpha")[name])
    stage.run()

    assert MORE not in {group for _, _, group in stage.center.assigned}
