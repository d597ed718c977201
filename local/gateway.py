"""The serverless plane (`python -m local.gateway`): ministack, its gaps mended."""

import os
from pathlib import Path

from ministack.app import main

from local import (
    gateway_boundaries,
    gateway_eks,
    gateway_eks_entries,
    gateway_errors,
    gateway_events,
    gateway_logs,
    gateway_patch,
    gateway_permissions,
    gateway_record,
    gateway_retries,
    gateway_workers,
)


def patch(home: Path) -> None:
    """Mend every known gap; raises PatchDoesNotApply."""
    gateway_patch.check_version()
    gateway_errors.apply()
    gateway_retries.apply()
    gateway_eks.apply()
    gateway_eks_entries.apply()
    gateway_logs.apply(home)
    gateway_permissions.apply()
    gateway_boundaries.apply()
    gateway_record.apply(home)
    gateway_workers.apply(home)


def run() -> None:
    """Serve until ended."""
    home = Path(os.environ["COMMONS_LOCAL_HOME"])
    home.joinpath("tmp").mkdir(parents=True, exist_ok=True)
    patch(home)
    gateway_events.start(int(os.environ["COMMONS_LOCAL_EVENTS_URL"].rpartition(":")[2]))
    main()


if __name__ == "__main__":
    run()
