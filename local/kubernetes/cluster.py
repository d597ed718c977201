"""The clusters that this process plays: one store each, made when first used."""

import re
from collections.abc import Callable
from datetime import datetime

from local.kubernetes import deleting, errors, garbage, object_quota, seeds
from local.kubernetes.kueue import QueueController
from local.kubernetes.store import Store

_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,99}")
"""What EKS allows as a cluster's name."""


class Clusters:
    """Stores by EKS cluster name."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._stores: dict[str, Store] = {}

    def store(self, name: str) -> Store:
        """The cluster's store, with what every cluster has and the controllers at work."""
        if not _NAME.fullmatch(name):
            raise errors.NoPage()
        if name not in self._stores:
            self._stores[name] = self._new()
        return self._stores[name]

    def _new(self) -> Store:
        store = Store()
        seeds.sow(store, self._now())
        store.observers = [
            lambda change: deleting.finish_namespace(store, change),
            garbage.observer(store, self._now),
            object_quota.observer(store, self._now),
            QueueController(store, self._now).observe,
        ]
        return store
