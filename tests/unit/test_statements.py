"""Invoices and journal: cents that add up on every level, whatever the lines."""

import dataclasses
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain import invoices, journal
from commons.domain.cents import in_cents
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.chargeback_run import Outcome, RunRef
from commons.domain.cost_basis import Basis
from commons.domain.money import total
from commons.domain.statements import statements
from tests.chargeback.test_records import LINE

RUN = RunRef(period="2026-10", run_id=LINE.run_id)


def line(**values: Any) -> ChargebackLine:
    return dataclasses.replace(LINE, **values)


def outcome(lines: list[ChargebackLine]) -> Outcome:
    every = total(each.amount for each in lines)
    nothing = Decimal(0)
    return Outcome(
        currency="USD",
        basis=Basis.AMORTISED,
        total=every,
        source_total=every,
        report_total=every,
        outside_total=nothing,
        scheduled_total=nothing,
        corrections_total=nothing,
        lines=len(lines),
    )


amounts = st.decimals(
    Decimal("-99999"), Decimal("99999"), places=10, allow_nan=False, allow_infinity=False
)
lines_of_teams = st.lists(
    st.builds(
        line,
        amount=amounts,
        team=st.sampled_from(["alpha", "beta", None]),
        project=st.sampled_from(["p", None]),
        cost_center=st.sampled_from(["cc-1", "cc-2", None]),
        component=st.sampled_from(["reserved", "lend_credit", "tax", "something_new"]),
        corrects=st.sampled_from([None, None, "2026-08"]),
    ),
    max_size=30,
)


@pytest.mark.law
@given(lines=lines_of_teams)
def test_invoices_add_up_to_the_total_and_entries_to_their_invoice(
    lines: list[ChargebackLine],
) -> None:
    found = statements(RUN, lines)
    every = total(each.amount for each in lines)
    assert sum(each.amount for each in found) == in_cents(every)
    assert total(each.exact for each in found) == every
    for each in found:
        assert abs(each.amount - each.exact) < Decimal("0.01")
        assert sum(entry.amount for entry in each.entries) == each.amount
        assert all(abs(entry.amount - entry.exact) < Decimal("0.01") for entry in each.entries)


@pytest.mark.law
@given(lines=lines_of_teams)
def test_debit_is_credit_over_the_journal_and_over_each_component(
    lines: list[ChargebackLine],
) -> None:
    found = statements(RUN, lines)
    postings = journal.postings(found)
    for component in {each.component for each in postings}:
        mine = [each for each in postings if each.component == component]
        assert sum(each.debit for each in mine) == sum(each.credit for each in mine)
    owed = [each for each in postings if each.account != journal.CLEARING]
    charged = sum((each.debit - each.credit for each in owed), Decimal(0))
    assert charged == sum(each.amount for each in found)
    assert all(min(each.debit, each.credit) == 0 for each in postings)
    assert all(each.debit >= 0 and each.credit >= 0 for each in postings)


def test_a_cent_that_no_team_has_whole_goes_to_the_largest_fraction() -> None:
    thirds = [line(team=name, amount=Decimal("0.3333333333")) for name in "abc"]
    thirds[0] = line(team="a", amount=Decimal("0.3333333334"))
    found = statements(RUN, thirds)
    assert [each.amount for each in found] == [Decimal("0.34"), Decimal("0.33"), Decimal("0.33")]


def test_a_correction_is_named_in_its_entry_and_its_postings() -> None:
    lines = [line(), line(amount=Decimal("-0.25"), corrects="2026-08")]
    found = statements(RUN, lines)
    corrected = [entry for each in found for entry in each.entries if entry.corrects]
    assert [(each.corrects, each.amount) for each in corrected] == [("2026-08", Decimal("-0.25"))]
    credited = [each for each in journal.postings(found) if each.corrects]
    assert [(each.debit, each.credit) for each in credited] == [
        (Decimal("0.00"), Decimal("0.25")),
        (Decimal("0.25"), Decimal("0.00")),
    ]
    rows = list(journal.rows(RUN, outcome(lines), journal.postings(found)))
    assert all(len(row) == len(journal.HEADER) for row in rows)
    assert "reserved, corrects 2026-08" in {row[journal.HEADER.index("text")] for row in rows}


def test_the_invoices_document_says_every_amount_twice_exact_and_in_cents() -> None:
    lines = [line(team=None, amount=Decimal("1.0050000000"))]
    document = invoices.document(RUN, outcome(lines), "provisional", statements(RUN, lines))
    (one,) = document["statements"]
    assert (one["team"], one["number"]) == ("__platform__", "2026-10-01234567-__platform__")
    assert (document["total"], document["exact_total"]) == ("1.00", "1.0050000000")
    assert one["entries"][0]["amount"] == "1.00"
    rows = list(invoices.rows(RUN, outcome(lines), "provisional", statements(RUN, lines)))
    assert all(len(row) == len(invoices.HEADER) for row in rows)


def test_every_account_is_in_the_documentation() -> None:
    page = Path("docs/finance.md").read_text(encoding="utf-8")
    accounts = [journal.CLEARING, journal.OTHER, *journal.ACCOUNTS.values()]
    assert [code for code, _ in accounts if code not in page] == []
    assert [name for name in journal.ACCOUNTS if f"`{name}`" not in page] == []
