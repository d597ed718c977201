"""Finance asks by HTTP: the same figures as in the records, whatever is chosen or paged."""

import csv
import io
import urllib.parse
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import boto3
import pytest

from chargeback import query_chargeback
from commons import bootstrap
from commons.domain.errors import Throttled
from commons.domain.export_names import FORMATS
from commons.domain.money import plain, total
from tests.chargeback.chain import CHARGEBACK, CLUSTER, CONTEXT, PERIOD, Chain
from tests.chargeback.test_publish_chargeback import nodes_for
from tests.http_events import answer, problem, request

MONTH = f"/periods/{PERIOD}"
DAY = date(2026, 10, 2)


def ask(path: str, *pairs: tuple[str, str], **query: str | int) -> dict[str, Any]:
    return query_chargeback.handler(request("GET", path, *pairs, **query), CONTEXT)


def get(path: str, **query: str | int) -> Any:
    return answer(ask(path, **query))


@pytest.fixture
def month(chain: Chain) -> Chain:
    """Two teams on one node: one lends, the other borrows."""
    chain.register()
    for team in ("alpha", "beta"):
        chain.used(chain.onboard(team, devices=4), DAY, own=48, borrowed=8 if team == "beta" else 0)
    assert chain.deliver(chain.report([nodes_for(96)], 4)[0]) == "published"
    return chain


def pages(
    path: str, entries: str, first: str | None = None, **query: str | int
) -> Iterator[dict[str, Any]]:
    """Every entry, page by page, from the cursor `first` on."""
    cursor = {"cursor": first} if first else {}
    while True:
        page = get(path, **query, **cursor)
        yield from page[entries]
        if page["cursor"] is None:
            return
        cursor = {"cursor": page["cursor"]}


def test_the_months_and_the_control_totals_of_one(month: Chain) -> None:
    (entry,) = get("/periods")
    assert (entry["period"], entry["status"], entry["total"]) == (
        PERIOD,
        "provisional",
        "96.0000000000",
    )
    shown = get(MONTH)
    in_scope = Decimal(shown["report_total"]) - Decimal(shown["outside_total"])
    assert Decimal(shown["source_total"]) == Decimal(shown["total"]) == in_scope
    assert shown["bridge"][-1]["name"] == "invoiced"
    assert shown["exports"] == list(FORMATS)
    (run,) = get("/runs")
    assert (run["current"], run["run_id"]) == (True, shown["run_id"])


def test_cb_17_every_grouping_adds_up_to_the_bill(month: Chain) -> None:
    for by in ("", "cluster", "namespace", "team,component", "day,cost_center", "day,component"):
        shown = get(f"{MONTH}/summary", by=by)
        assert shown["amount"] == "96.0000000000"
        assert total(Decimal(each["amount"]) for each in shown["groups"]) == 96
        assert all(list(each["key"]) == [n for n in by.split(",") if n] for each in shown["groups"])


def test_ex_03_a_namespace_has_the_same_amount_in_every_answer(month: Chain) -> None:
    everything = get(f"{MONTH}/summary", by="namespace")["groups"]
    of_alpha = next(e for e in everything if e["key"] == {"namespace": "hyperpod-ns-alpha"})
    for chosen in (
        {"namespace": "hyperpod-ns-alpha"},
        {"team": "alpha", "cluster": CLUSTER},
        {"cost_center": "cc-alpha", "day": "2026-10-02"},
    ):
        shown = get(f"{MONTH}/summary", by="namespace", **chosen)
        assert shown["groups"] == [of_alpha]
        assert shown["amount"] == of_alpha["amount"]
        lines = list(pages(f"{MONTH}/lines", "lines", **chosen))
        assert plain(total(Decimal(each["amount"]) for each in lines)) == of_alpha["amount"]


def test_what_belongs_to_nobody_is_asked_for_with_an_empty_value(month: Chain) -> None:
    month.deliver(month.report([nodes_for(96), nodes_for(7, "arn:aws:x:::cluster/gone")], 5)[0])
    shown = get(f"{MONTH}/summary", by="team,component", team="")
    assert {each["key"]["team"] for each in shown["groups"]} <= {None}


def test_ex_02_a_run_of_many_lines_is_read_to_the_last_one(month: Chain) -> None:
    link = get(f"{MONTH}/exports/csv")
    rows = list(csv.DictReader(io.StringIO(fetched(link["url"]))))
    lines = list(pages(f"{MONTH}/lines", "lines", limit=1))
    assert len(lines) > 3
    assert [each["line_id"] for each in lines] == sorted(row["line_id"] for row in rows)
    assert sum(Decimal(row["amount"]) for row in rows) == 96
    paged = list(pages(f"{MONTH}/summary", "groups", by="namespace,component", limit=2))
    assert paged == get(f"{MONTH}/summary", by="namespace,component")["groups"]


def fetched(url: str) -> str:
    """What is behind a link; moto is asked by its client, since nothing here has a network."""
    parts = urllib.parse.urlparse(url)
    assert "X-Amz-Signature" in url
    assert "X-Amz-Expires=300" in url
    bucket = parts.netloc.partition(".")[0]
    found = boto3.client("s3").get_object(Bucket=bucket, Key=urllib.parse.unquote(parts.path[1:]))
    return str(found["Body"].read().decode())


def test_ex_04_who_began_a_run_reads_it_to_the_end_although_another_is_current(
    month: Chain,
) -> None:
    first = get(f"{MONTH}/lines", limit=2)
    sums = get(f"{MONTH}/summary", by="namespace", limit=1)
    before = list(pages(f"{MONTH}/lines", "lines"))
    month.deliver(month.report([nodes_for(120)], 6)[0])
    assert get(MONTH)["run_id"] != first["run_id"]
    assert get(f"{MONTH}/summary")["amount"] == "120.0000000000"

    rest = list(pages(f"{MONTH}/lines", "lines", first=first["cursor"]))
    assert [*first["lines"], *rest] == before
    later = get(f"{MONTH}/summary", by="namespace", cursor=sums["cursor"])
    assert (later["run_id"], later["amount"]) == (first["run_id"], "96.0000000000")
    named = get(f"{MONTH}/summary", run_id=first["run_id"])
    assert (named["status"], named["amount"]) == ("superseded", "96.0000000000")


def test_every_file_is_fetched_by_a_link_of_its_run(month: Chain) -> None:
    for format_, name in FORMATS.items():
        link = get(f"{MONTH}/exports/{format_}")
        key = f"exports/period={PERIOD}/run_id={link['run_id']}/{name}"
        assert urllib.parse.unquote(urllib.parse.urlparse(link["url"]).path) == f"/{key}"
        assert (link["file"], link["expires_at"]) == (name, "2026-11-03T12:05:00Z")
        assert ("text%2Fhtml" in link["url"]) == (format_ == "html")


def test_what_is_not_there_is_said_so(month: Chain) -> None:
    run = get(MONTH)["run_id"]
    for path, query in (
        ("/periods/2026-09", {}),
        ("/periods/2026-09", {"run_id": run}),
        (MONTH, {"run_id": "0" * 16}),
        (f"{MONTH}/exports/pdf", {}),
        (f"{MONTH}/exports/..%2F..%2Flines", {}),
        ("/teams", {}),
    ):
        assert problem(ask(path, **query))[:2] == (404, "NotFound"), path
    boto3.client("s3").delete_object(
        Bucket=CHARGEBACK, Key=f"exports/period={PERIOD}/run_id={run}/journal.csv"
    )
    assert problem(ask(f"{MONTH}/exports/journal"))[0] == 404


def test_a_run_that_was_refused_is_listed_and_has_no_figures(chain: Chain) -> None:
    chain.deliver(chain.report([nodes_for(1, line_item_currency_code="EUR"), nodes_for(2)], 4)[0])
    (run,) = get("/runs")
    assert (run["status"], run["total"], run["current"]) == ("refused", None, False)
    assert problem(ask(MONTH, run_id=run["run_id"]))[0] == 404
    assert get("/periods") == []


@pytest.mark.parametrize(
    ("path", "query", "said"),
    [
        ("/periods/2026-13", {}, "period"),
        ("/periods/2026-10x/summary", {}, "period"),
        (f"{MONTH}/summary", {"by": "nation"}, "nation is none of"),
        (f"{MONTH}/summary", {"teams": "alpha"}, "teams is no parameter here"),
        (f"{MONTH}/summary", {"day": "yesterday"}, "day"),
        (f"{MONTH}/lines", {"limit": 0}, "limit"),
        (f"{MONTH}/lines", {"limit": 1001}, "limit"),
        (f"{MONTH}/lines", {"cursor": "x"}, "ask without it"),
        (f"{MONTH}/lines", {"by": "team"}, "by is no parameter here"),
        (MONTH, {"run_id": "../../x"}, "run_id"),
        ("/periods", {"period": PERIOD}, "the parameters are: none"),
    ],
)
def test_what_is_no_question_is_refused_by_name(
    chain: Chain, path: str, query: dict[str, str | int], said: str
) -> None:
    status, error, message = problem(ask(path, **query))
    assert (status, error) == (400, "RefusedInput")
    assert said in message


def test_a_filter_that_is_given_twice_is_refused_and_a_comma_is_part_of_a_value(
    month: Chain,
) -> None:
    twice = ask(f"{MONTH}/summary", ("team", "alpha"), ("team", "beta"))
    assert "team is given twice" in problem(twice)[2]
    assert get(f"{MONTH}/summary", cost_center="cc-alpha,cc-beta")["groups"] == []


def test_a_service_that_is_slow_is_told_as_one_that_may_be_asked_again(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    def throttled(_: str) -> None:
        raise Throttled("using the chargeback table: slow down")

    monkeypatch.setattr(bootstrap.chargeback_table(), "current", throttled)
    assert problem(ask(MONTH))[:2] == (503, "Throttled")
