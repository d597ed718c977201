"""The patches refuse to guess: on another ministack nothing starts."""

import re
from types import SimpleNamespace

import pytest

from local import gateway_logs, gateway_patch, settings
from local.gateway_patch import PatchDoesNotApply, check_version, replace, rewrite


def test_the_patches_are_for_the_pinned_version():
    pins = (settings.CHECKOUT / "constraints.txt").read_text()
    assert re.search(r"^ministack==(.+)$", pins, re.M)[1] == gateway_patch.MINISTACK
    check_version()


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(gateway_patch, "MINISTACK", "1.5.34")
    with pytest.raises(PatchDoesNotApply, match=r"ministack 1\.5\.33 is installed.*1\.5\.34"):
        check_version()


def test_a_name_that_is_gone_is_refused():
    with pytest.raises(PatchDoesNotApply, match="has no gone"):
        replace(SimpleNamespace(), "gone", lambda plain: plain)


def test_a_name_is_replaced_by_what_is_made_of_it():
    owner = SimpleNamespace(double=lambda n: 2 * n)
    replace(owner, "double", lambda plain: lambda n: plain(plain(n)))
    assert owner.double(3) == 12


@pytest.mark.parametrize("text", ["", "b", "a a"])
def test_text_that_is_not_there_exactly_once_is_refused(text):
    with pytest.raises(PatchDoesNotApply):
        rewrite(text, "a", "c")


def test_text_is_rewritten_where_it_is():
    assert rewrite("x a y", "a", "c") == "x c y"


def test_a_functions_output_is_in_a_file_of_its_own(tmp_path, monkeypatch):
    said = []

    def plain(*arguments, **_):
        said.append(arguments)

    monkeypatch.setattr(gateway_logs.lambda_svc, "_emit_lambda_logs", plain)
    gateway_logs.apply(tmp_path)
    function = {"config": {"FunctionName": "f"}}
    emit = gateway_logs.lambda_svc._emit_lambda_logs
    emit(function, "r-1", "one\ntwo", False, 12)
    emit(function, "r-2", "", True, 3, log_source=None)
    lines = (tmp_path / "logs" / "functions" / "f.log").read_text().splitlines()
    assert lines[:2] == ["one", "two"]
    assert [line.partition(" ")[2] for line in lines[2:]] == ["ended r-1 12 ms", "failed r-2 3 ms"]
    assert len(said) == 2
