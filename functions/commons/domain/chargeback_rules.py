"""How a bill is handed out: the document in which finance and the platform team agree on it.

A version holds from a period on, until a newer one does; it counts for the runs made after it came.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, field_validator, model_validator

from commons.domain.cost_basis import Basis
from commons.domain.document_parts import Part, Slug

_PERIOD = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)
_WHOLE = Decimal(100)
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
Percent = Annotated[Decimal, Field(gt=0, le=100, decimal_places=4)]


def _checked[Model: Part](model: Model, method: str, shares: dict[str, Decimal]) -> Model:
    if (method == "fixed") != bool(shares):
        raise ValueError("must have shares if its method is fixed, and only then")
    if sum(shares.values()) > _WHOLE:
        raise ValueError("must have shares that are not more than 100 percent together")
    return model


class Spread(Part):
    """How one amount is divided over the namespaces of a cluster."""

    method: Literal["proportional", "even", "fixed"] = Field(
        default="proportional",
        description="Default `proportional`, to what a namespace is charged directly that day. "
        "`even`: the same for each. `fixed`: by `shares`.",
    )
    shares: dict[Name, Percent] = Field(
        default={},
        description="Percent by namespace, for `fixed` only; what is missing to 100 stays apart.",
    )

    @model_validator(mode="after")
    def _shares_of_fixed(self) -> Self:
        return _checked(self, self.method, self.shares)


class Unassigned(Part):
    """What happens with capacity that nobody reserved and nobody used."""

    method: Literal["keep", "proportional", "even", "fixed"] = Field(
        default="keep",
        description="Default `keep`: it stays the platform's, visibly. The others spread it over "
        "the namespaces that have quota or use of the instance type that day.",
    )
    shares: dict[Name, Percent] = Field(
        default={},
        description="Percent by namespace, for `fixed` only; what is missing to 100 is kept.",
    )

    @model_validator(mode="after")
    def _shares_of_fixed(self) -> Self:
        return _checked(self, self.method, self.shares)

    def spread(self) -> Spread | None:
        """None: it is kept."""
        if self.method == "keep":
            return None
        return Spread(method=self.method, shares=self.shares)


class ChargebackRules(Part):
    """One version of the rules."""

    kind: Literal["ChargebackRules"] = Field(description="Always `ChargebackRules`.")
    version: Slug = Field(description="Name of the version; its content never changes.")
    valid_from: str = Field(description="First period, YYYY-MM.")
    basis: Basis = Field(
        default=Basis.AMORTISED,
        description="Which cost counts; default `amortised`. The net ones need an export with the "
        "net columns.",
    )
    mode: Literal["reserved_plus_borrowed", "usage", "reserved"] = Field(
        default="reserved_plus_borrowed",
        description="Default `reserved_plus_borrowed`: quota, and what was used beyond it, with "
        "credit for what was lent. `usage`: all of the cost by use. `reserved`: quota alone.",
    )
    borrow_price: Annotated[Decimal, Field(ge=0, le=1, decimal_places=4)] = Field(
        default=Decimal(1),
        description="Price of an hour borrowed from a quota, as a part of a reserved one, 0 to 1; "
        "default 1. The lender is credited the same.",
    )
    shared: Spread = Field(
        default=Spread(),
        description="The control plane, disks, and platform namespaces; default proportional.",
    )
    unassigned: Unassigned = Field(
        default=Unassigned(), description="Capacity that nobody reserved or used; default `keep`."
    )
    platform_namespaces: list[Name] = Field(
        default=[],
        max_length=100,
        description="Namespaces whose cost is shared by all, for instance kube-system.",
    )
    missing_usage_hours: Annotated[int, Field(ge=0, le=24)] = Field(
        default=6,
        description="A day of which more hours of use are unknown is charged by quota alone; "
        "default 6.",
    )

    @field_validator("valid_from")
    @classmethod
    def _a_period(cls, value: str) -> str:
        if not _PERIOD.fullmatch(value):
            raise ValueError("must be a period, YYYY-MM")
        return value

    @field_validator("borrow_price", mode="before")
    @classmethod
    def _a_number(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError("must be a number from 0 to 1")
        return value


# in force until a document says otherwise
DEFAULT = ChargebackRules(kind="ChargebackRules", version="default", valid_from="2000-01")


def rules_for(period: str, documents: Iterable[ChargebackRules]) -> ChargebackRules:
    """The newest that is valid in the period; of two from one period on, the later version."""
    valid = [each for each in documents if each.valid_from <= period]
    return max(valid, key=lambda each: (each.valid_from, each.version), default=DEFAULT)
