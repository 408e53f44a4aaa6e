"""The summaries of real test runners, with their colours."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.test_results.suite_result import MOST, SuiteResult
from handrail.fleet.test_results.test_summaries import FORMATS, KEPT, read_summaries

_FILE = Path(__file__).parent / "data" / "test_summaries.txt"


def _samples() -> list[tuple[str, int, int, str]]:
    text = _FILE.read_text(encoding="utf-8").replace("␛", "\x1b")
    return [
        (runner, int(passed), int(failed), output)
        for runner, passed, failed, output in re.findall(
            r"^@@ (.+) (\d+) (\d+)\n((?:(?!@@ ).*\n)*)", text, re.MULTILINE
        )
    ]


SAMPLES = _samples()


@pytest.mark.parametrize(("runner", "passed", "failed", "output"), SAMPLES)
def test_a_summary_is_read(runner: str, passed: int, failed: int, output: str) -> None:
    text = f"building …\n{output}make: *** [test] Error 1\n"
    assert read_summaries(text) == SuiteResult(passed, failed)


def test_every_runner_has_a_sample() -> None:
    assert {each.runner for each in FORMATS} == {runner for runner, *_ in SAMPLES}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "All good.\n",
        "added 312 packages in 4s",
        "✓ 34 modules transformed.\n✓ built in 1.20s",
        "3 files changed, 12 insertions(+)",
        "Success: no issues found in 12 source files",
        "12 files in 0.3s",
        "2 passed the review in 3 weeks",
        "FAILED (failures=1)",
        "OK",
        "FAIL",
        "1 pending",
        "99999999999999 passed in 0.1s",
        "- Tests: 4/6 passing",
    ],
)
def test_an_output_without_a_summary_is_unknown(text: str) -> None:
    assert read_summaries(text) is None


def test_the_summaries_of_several_runners_are_added() -> None:
    both = "1 failed, 2 passed in 0.12s\nTests:       3 passed, 3 total\n"
    assert read_summaries(both) == SuiteResult(5, 1)


def test_two_sessions_of_one_runner_are_added() -> None:
    assert read_summaries("3 passed in 0.1s\n1 failed in 0.2s") == SuiteResult(3, 1)


def test_only_the_end_of_a_long_output_is_read() -> None:
    assert read_summaries("9 passed in 0.1s\n" + "x" * KEPT) is None


def test_windows_line_ends_and_progress_lines_do_not_hide_a_summary() -> None:
    text = "collecting\rrunning\r\n4 passed in 0.1s\r\n"
    assert read_summaries(text) == SuiteResult(4, 0)


def test_a_sum_stays_within_what_is_believed() -> None:
    text = "9999999 passed in 1s\n" * 3
    assert read_summaries(text) == SuiteResult(MOST, 0)


_PIECES = st.sampled_from(
    [*(output for *_, output in SAMPLES), "\x1b[", "\x1b]8;;", "1 ", "passed", ", ", " in 1s", "\n",
     "Tests:  ", "=", "(", " | ", "ok ", "not ok ", "FAIL\t", "9" * 30, "², ", "٣ passed in 1s"]
)  # fmt: skip


@given(st.lists(_PIECES | st.text(max_size=20), max_size=30).map("".join))
def test_any_text_has_a_result_or_none(text: str) -> None:
    result = read_summaries(text)
    assert result is None or (0 <= result.passed <= MOST and 0 <= result.failed <= MOST)


@pytest.mark.parametrize(
    "piece",
    ["1 passed, ", "1 ", "(", "Tests: 1 a, ", " " * 50, "\x1b[0", "\x1b]", "=", "1 | ",
     '{"Action":"pass"', "FAILED (a=1, ", "ok 1 # ", "\x1b[0;0", "1 tests, 1 failures, "],
)  # fmt: skip
def test_a_hostile_text_does_not_hang(piece: str) -> None:
    read_summaries(piece * (KEPT // len(piece)))
    line = (piece * 500)[:499]
    read_summaries(f"{line}\n" * 800)
