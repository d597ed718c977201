"""The company of these tests, moved in once."""

import pytest

from tests.clouds import Cloud
from tests.cluster.isolation import furniture
from tests.cluster.isolation.callers import Callers
from tests.cluster.isolation.company import move_in


@pytest.fixture(scope="session")
def callers(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Callers:
    """Everybody is signed in, and the admission policies are in force."""
    move_in(cloud, tmp_path_factory.mktemp("documents"))
    callers = Callers(cloud)
    furniture.put_up(callers.administrator)
    return callers
