"""JUnit reports: found in bounded time, counted once, never trusted."""

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.test_results import junit_reports
from handrail.fleet.test_results.junit_reports import read_reports
from handrail.fleet.test_results.suite_result import SuiteResult
from handrail.fleet.test_results.test_status import read_test_status

PYTEST = """<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">
<testsuite name="pytest" errors="1" failures="1" skipped="2" tests="6">
<testcase classname="test_py" name="test_a" time="0.000" />
<testcase classname="test_py" name="test_b"><failure message="assert 0">E  assert 0</failure></testcase>
<testcase classname="test_py" name="test_c"><skipped type="pytest.skip" message="no">x</skipped></testcase>
<testcase classname="test_py" name="test_e"><system-out>&lt;failure&gt;</system-out></testcase>
<testcase classname="test_py" name="test_f"><error message="failed on setup">E</error></testcase>
</testsuite></testsuites>"""  # noqa: E501
BOMB = """<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>
<testsuite><testcase name="&b;"/></testsuite>"""


def _suite(*names: str, failed: str = "") -> str:
    cases = "".join(
        f'<testcase classname="T" name="{name}">{"<failure/>" * (name == failed)}</testcase>'
        for name in names
    )
    return f"<testsuite>{cases}</testsuite>"


def _write(folder: Path, place: str, text: str = PYTEST) -> Path:
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "place",
    [
        "junit.xml",
        "junit-report.xml",
        "test-results/e2e/deep/results.xml",
        "target/surefire-reports/TEST-shop.CartTest.xml",
        "cart/target/surefire-reports/TEST-shop.CartTest.xml",
        "build/test-results/test/TEST-shop.CartTest.xml",
        "packages/cart/junit.xml",
        "target/nextest/ci/junit.xml",
    ],
)
def test_a_report_in_a_usual_place_is_counted(tmp_path: Path, place: str) -> None:
    _write(tmp_path, place)
    assert read_reports(str(tmp_path), 0) == SuiteResult(2, 2)


def test_a_report_in_a_named_place_is_counted_and_no_other(tmp_path: Path) -> None:
    _write(tmp_path, "out/unit.xml", _suite("a", "b", failed="b"))
    _write(tmp_path, "junit.xml", _suite("c"))
    assert read_reports(str(tmp_path), 0, ["out/*.xml"]) == SuiteResult(1, 1)
    assert read_reports(str(tmp_path), 0, ["./out/unit.xml"]) == SuiteResult(1, 1)


def test_a_report_from_before_the_command_is_not_counted(tmp_path: Path) -> None:
    report = _write(tmp_path, "junit.xml")
    assert read_reports(str(tmp_path), time.time() + 60) is None
    os.utime(report, (1000, 1000))
    assert read_reports(str(tmp_path), 2000) is None


def test_a_report_dated_into_the_future_is_not_counted_for_ever(tmp_path: Path) -> None:
    report = _write(tmp_path, "junit.xml")
    os.utime(report, (time.time() + 9000, time.time() + 9000))
    assert read_reports(str(tmp_path), time.time() + 60) is None


def test_several_reports_are_added(tmp_path: Path) -> None:
    _write(tmp_path, "target/surefire-reports/TEST-a.xml", _suite("a", "b"))
    _write(tmp_path, "target/surefire-reports/TEST-b.xml", _suite("c", failed="c"))
    assert read_reports(str(tmp_path), 0) == SuiteResult(2, 1)


def test_a_report_that_repeats_others_is_counted_once(tmp_path: Path) -> None:
    _write(tmp_path, "reports/all.xml", _suite("a", "b", "c", failed="c"))
    _write(tmp_path, "reports/one.xml", _suite("a", "b"))
    assert read_reports(str(tmp_path), 0) == SuiteResult(2, 1)


def test_a_failure_is_not_lost_in_a_report_of_the_same_tests(tmp_path: Path) -> None:
    _write(tmp_path, "reports/py311.xml", _suite("a", "b"))
    _write(tmp_path, "reports/py312.xml", _suite("a", "b", failed="b"))
    assert read_reports(str(tmp_path), 0) == SuiteResult(3, 1)


def test_a_test_of_many_parameters_under_one_name_counts_each_time(tmp_path: Path) -> None:
    _write(tmp_path, "junit.xml", _suite("a", "a", "a"))
    assert read_reports(str(tmp_path), 0) == SuiteResult(3, 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no xml",
        "<html><testcase/></html>",
        BOMB,
        "<testsuite>",
        "<testsuite><testcase name='&x;'/></testsuite>",
        "\x00" * 50,
        "<?xml version='1.0' encoding='no-such'?><testsuite/>",
    ],
)
def test_a_file_that_is_no_report_is_passed_over(tmp_path: Path, text: str) -> None:
    _write(tmp_path, "junit.xml", text)
    assert read_reports(str(tmp_path), 0) is None


def test_a_link_out_of_the_work_tree_is_not_followed(tmp_path: Path) -> None:
    outside = _write(tmp_path / "outside", "junit.xml")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "junit.xml").symlink_to(outside)
    (tree / "reports").symlink_to(outside.parent)
    assert read_reports(str(tree), 0) is None
    for place in ("../outside/junit.xml", str(outside), "reports/*.xml", "reports/junit.xml"):
        assert read_reports(str(tree), 0, [place]) is None


def test_a_pipe_in_the_place_of_a_report_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "junit.xml")
    assert read_reports(str(tmp_path), 0) is None


def test_a_report_that_is_too_large_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, "junit.xml", _suite(*map(str, range(50))))
    monkeypatch.setattr(junit_reports, "LARGEST_REPORT", 100)
    assert read_reports(str(tmp_path), 0) is None


def test_all_reports_together_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = _write(tmp_path, "reports/a.xml", _suite(*map(str, range(50))))
    _write(tmp_path, "reports/b.xml", _suite("x", "y"))
    monkeypatch.setattr(junit_reports, "LARGEST_SUM", large.stat().st_size)
    assert read_reports(str(tmp_path), 0) == SuiteResult(50, 0)


def test_a_search_looks_at_a_bounded_number_of_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        _write(tmp_path, f"reports/{number}.xml", _suite(str(number)))
    monkeypatch.setattr(junit_reports, "MOST_ENTRIES", 10)
    found = read_reports(str(tmp_path), 0, ["reports/*.xml"])
    assert found is not None
    assert found.total == 10


def test_all_reports_together_have_a_number_of_elements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, "reports/a.xml", _suite("a", "b", "c", "d"))
    _write(tmp_path, "reports/b.xml", _suite("x", "y"))
    monkeypatch.setattr(junit_reports, "MOST_ELEMENTS", 6)
    assert read_reports(str(tmp_path), 0) == SuiteResult(4, 0)


def test_no_folder_is_no_report(tmp_path: Path) -> None:
    assert read_reports(str(tmp_path / "missing"), 0) is None
    assert read_reports("\0", 0) is None


_XML = st.sampled_from(
    ["<testsuite>", "</testsuite>", "<testcase name='a'>", "</testcase>", "<testcase/>",
     "<failure/>", "<skipped/>", "<error>", "</error>", "<!DOCTYPE x>", "<![CDATA[", "]]>", "&amp;",
     "&x;", "<?xml?>"]
)  # fmt: skip


@given(st.lists(_XML | st.text(max_size=8), max_size=20).map("".join), st.binary(max_size=20))
def test_any_bytes_are_a_report_or_none(text: str, tail: bytes) -> None:
    with TemporaryDirectory() as folder:
        Path(folder, "junit.xml").write_bytes(b"<testsuites>" + text.encode() + tail)
        result = read_reports(folder, 0)
    assert result is None or result.total <= text.count("<testcase")


def test_a_report_counts_before_the_output(tmp_path: Path) -> None:
    _write(tmp_path, "junit.xml")
    assert read_test_status("9 passed in 0.1s", str(tmp_path), 0) == SuiteResult(2, 2)


def test_the_output_counts_if_no_report_is_new(tmp_path: Path) -> None:
    _write(tmp_path, "junit.xml")
    since = time.time() + 60
    assert read_test_status("9 passed in 0.1s", str(tmp_path), since) == SuiteResult(9, 0)
    assert read_test_status("fine", str(tmp_path), since) is None


def test_an_empty_report_does_not_hide_the_output(tmp_path: Path) -> None:
    _write(tmp_path, "junit.xml", "<testsuites/>")
    assert read_test_status("9 passed in 0.1s", str(tmp_path), 0) == SuiteResult(9, 0)
    assert read_test_status("", str(tmp_path), 0) == SuiteResult(0, 0)
