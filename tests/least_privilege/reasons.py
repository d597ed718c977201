"""The written reasons: why a permission is there, and why one is that nothing here uses."""

from collections.abc import Iterable
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

FILE = Path(__file__).with_name("reasons.yaml")


class Reasons(BaseModel):
    """By role (its logical id) or function, then by action, resource or service."""

    model_config = ConfigDict(frozen=True)

    why: dict[str, dict[str, str]]
    unused: dict[str, dict[str, str]]
    unnoticed: dict[str, dict[str, str]]

    def of_unused(self, role: str, what: str) -> str | None:
        """Why an action, or a resource pattern of it, is granted and not used."""
        return self.unused.get(role, {}).get(what)

    def of_unnoticed(self, role: str, action: str) -> str | None:
        return self.unnoticed.get(role, {}).get(action)

    def superfluous(self, unused: Iterable[tuple[str, str]]) -> list[str]:
        """Reasons for what is used by now, or granted no more."""
        known = set(unused)
        told = [(role, what) for role, each in self.unused.items() for what in each]
        return [f"{role} {what}" for role, what in told if (role, what) not in known]


def read() -> Reasons:
    return Reasons.model_validate(yaml.safe_load(FILE.read_text()))
