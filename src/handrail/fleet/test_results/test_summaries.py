"""Read the summaries that test runners print at the end of their output."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from handrail.fleet.test_results.suite_result import SuiteResult

KEPT = 400_000
"""Characters at the end of an output that are read."""
_MOST_LINES = 10_000
_LONGEST_LINE = 500
"""No summary is longer; the patterns below see nothing longer."""
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]+[0-~]|[0-Z\\^_])"
)

_N = r"\d{1,7}"
_NUMBER_FIRST = rf"({_N}) ([a-z]+)"
_PYTEST_WORDS = (
    "passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun|subtests [a-z]+"
)


class SummaryFormat(NamedTuple):
    """How one test runner prints its result."""

    runner: str
    line: str
    """A line of the summary, from its beginning to its end."""
    counts: str = _NUMBER_FIRST
    """A number and its word, in either order: two groups for each order."""
    passed: str = "passed"
    """The words that count passed tests; unused if there is a total."""
    failed: str = "failed|error|errors"
    total: str = ""
    """The words that count all tests. Passed are those that neither failed nor were left out."""
    left_out: str = "skipped|pending"
    needs: str = ""
    """The word without which it is no output of this runner."""
    spread: bool = False
    """The summary takes several lines. A word that comes again begins the next one."""
    instead_of: str = ""
    """Another runner, whose output this one repeats."""


FORMATS = (
    SummaryFormat(
        "pytest",
        rf"=*\s?(?:{_N} (?:{_PYTEST_WORDS})(?:, )?)+ in [\d.]+s(?: \([\d:]+\))?\s?=*",
        passed="passed|xpassed",
    ),
    SummaryFormat("pytest", r"=*\s?no tests ran in [\d.]+s\s?=*", counts=r"(no tests ran)()"),
    SummaryFormat(
        "unittest",
        rf"Ran {_N} tests? in [\d.]+s|(?:OK|FAILED|NO TESTS RAN)(?: \((?:[a-z ]+={_N}(?:, )?)+\))?",
        counts=rf"(Ran) ({_N})|([a-z]+(?: [a-z]+)?)=({_N})",
        failed="failures|errors|unexpected successes",
        total="Ran",
        left_out="skipped|expected failures",
        spread=True,
    ),
    SummaryFormat("jest", rf"Tests: +(?:{_N} [a-z]+, )*{_N} total(?:, .*)?"),
    SummaryFormat("pest", rf" *Tests: +(?:{_N} [a-z]+,? )+\({_N} assertions?\)"),
    SummaryFormat("vitest", rf" *Tests  (?:{_N} [a-z ]+ \| )*{_N} [a-z ]+ \({_N}\)"),
    SummaryFormat(
        "mocha",
        rf"\s*{_N} (?:passing(?: \(.+\))?|failing|pending)",
        counts=rf"({_N}) (passing|failing)",
        passed="passing",
        failed="failing",
        needs="passing",
        spread=True,
    ),
    SummaryFormat(
        "playwright",
        rf"  {_N} (?:failed|passed|flaky|skipped|interrupted|did not run)(?: \([\d.]+m?s?\))?",
        passed="passed|flaky",
        failed="failed|interrupted",
        spread=True,
    ),
    SummaryFormat(
        "node",
        rf"[#ℹ] (?:tests|suites|pass|fail|cancelled|skipped|todo)\s+{_N}",
        counts=rf"(pass|fail|cancelled)\s+({_N})",
        passed="pass",
        failed="fail|cancelled",
        spread=True,
        instead_of="tap",
    ),
    SummaryFormat("cargo", rf"test result: (?:ok|FAILED)\. {_N} passed; {_N} failed;.*"),
    SummaryFormat(
        "nextest",
        rf" *Summary \[.{{1,20}}\] {_N}(?:/{_N})? tests? run: .*",
        counts=rf"({_N}) (passed|failed|timed out|exec failed)",
        failed="failed|timed out|exec failed",
        instead_of="cargo",
    ),
    SummaryFormat(
        "gotestsum",
        rf"DONE (?:{_N} runs, )?{_N} tests?(?:, {_N} [a-z]+)* in .*",
        counts=rf"({_N}) (tests?|skipped|failures?|errors?)",
        failed="failure|failures|error|errors",
        total="test|tests",
        instead_of="go",
    ),
    SummaryFormat(
        "ctest",
        rf"{_N}% tests passed, {_N} tests? failed out of {_N}",
        counts=rf"({_N}) tests? (failed)|(out of) ({_N})",
        total="out of",
    ),
    SummaryFormat(
        "rspec",
        rf"{_N} examples?, {_N} failures?(?:, {_N} [a-z ]+)*",
        counts=rf"({_N}) (examples?|failures?|errors?|pending)",
        failed="failure|failures|error|errors",
        total="example|examples",
    ),
    SummaryFormat(
        "minitest",
        rf"{_N} (?:runs|tests), {_N} assertions, {_N} failures, {_N} errors(?:, {_N} [a-z]+)*",
        failed="failures|errors",
        total="runs|tests",
        left_out="skips|pendings|omissions",
    ),
    SummaryFormat(
        "exunit",
        rf"(?:{_N} (?:doctests?|property|properties), )*{_N} tests?, {_N} failures?(?:, .*)?",
        failed="failure|failures",
        total="doctest|doctests|property|properties|test|tests",
        left_out="skipped|excluded|invalid",
    ),
    SummaryFormat(
        "phpunit",
        rf"OK \({_N} tests?, {_N} assertions?\)|Tests: {_N}, Assertions: {_N}.*\.",
        counts=rf"({_N}) (tests?)|(Tests|Errors|Failures|Skipped|Incomplete): ({_N})",
        failed="Errors|Failures",
        total="test|tests|Tests",
        left_out="Skipped|Incomplete",
    ),
    SummaryFormat(
        "dotnet",
        rf"(?:Passed|Failed|Skipped)! +- Failed: +{_N}, Passed: +{_N}, .*",
        counts=rf"(Failed|Passed): +({_N})",
        passed="Passed",
        failed="Failed",
    ),
    SummaryFormat(
        "dotnet",
        rf"Test summary: total: {_N}, failed: {_N}, succeeded: {_N}, .*",
        counts=rf"(failed|succeeded): ({_N})",
        passed="succeeded",
    ),
    SummaryFormat(
        "maven",
        rf"(?:\[[A-Z]+\] )?Tests run: {_N}, Failures: {_N}, Errors: {_N}, Skipped: {_N}",
        counts=rf"(run|Failures|Errors|Skipped): ({_N})",
        failed="Failures|Errors",
        total="run",
        left_out="Skipped",
    ),
    SummaryFormat(
        "gradle",
        rf"{_N} tests? completed, {_N} failed(?:, {_N} skipped)?",
        counts=rf"({_N}) (?:tests? )?(completed|failed|skipped)",
        total="completed",
    ),
    SummaryFormat("deno", rf"(?:ok|FAILED) \| {_N} passed.* \| {_N} failed.*"),
    SummaryFormat(
        "bun",
        rf" {_N} (?:pass|fail|skip|todo)",
        passed="pass",
        failed="fail",
        spread=True,
    ),
    SummaryFormat(
        "ava",
        rf"  {_N} (?:tests? passed|tests? failed|uncaught exceptions?)",
        counts=rf"({_N}) (?:tests? )?(passed|failed|uncaught)",
        failed="failed|uncaught",
        spread=True,
    ),
    # The next ones print a line for each test or package.
    SummaryFormat(
        "go test",
        r"(?:---|===) (?:RUN|PASS|FAIL)\b.*",
        counts="^... (RUN|PASS|FAIL)()",
        passed="PASS",
        failed="FAIL",
        needs="RUN",  # without `-v` it names only the tests that failed
        instead_of="go",
    ),
    SummaryFormat(
        "go test -json",
        r'\{.*"Action":"(?:pass|fail)".*"Test":"[^"/]+".*\}',
        counts='"Action":"(pass|fail)()"',
        passed="pass",
        failed="fail",
        instead_of="go",
    ),
    SummaryFormat(
        "go",
        r"(?:ok  |FAIL)\s+[^\s\[]+(?:\s.*)?",
        counts=r"^(ok|FAIL)()",
        passed="ok",
        failed="FAIL",
    ),
    SummaryFormat(
        "tap",
        rf"(?:not )?ok {_N}\b(?!.*# (?:SKIP|skip|TODO|todo)\b).*",
        counts="^(ok|not ok)()",
        passed="ok",
        failed="not ok",
    ),
)
_COMPILED = [(each, re.compile(each.line), re.compile(each.counts)) for each in FORMATS]


def read_summaries(output: str) -> SuiteResult | None:
    """Return the sum of all summaries in an output; None: nobody has counted any tests."""
    found: dict[str, _Tally] = {}
    for line in _plain_lines(output):
        for form, pattern, counts in _COMPILED:
            if pattern.fullmatch(line):
                tally = found.setdefault(form.runner, _Tally(form))
                tally.add(form, dict(_counts(counts, line)))
                break
    repeated = {tally.form.instead_of for tally in found.values() if tally.result() is not None}
    results = [tally.result() for name, tally in found.items() if name not in repeated]
    known = [each for each in results if each is not None]
    return sum(known, SuiteResult(0, 0)) if known else None


def _plain_lines(output: str) -> Iterator[str]:
    """Return the lines that may be summaries: short ones, without colours."""
    lines = _ESCAPES.sub("", output[-KEPT:]).splitlines()
    for line in lines[-_MOST_LINES:]:
        if len(line) <= _LONGEST_LINE and not line.isspace():
            yield line.rstrip()


def _counts(pattern: re.Pattern[str], line: str) -> Iterator[tuple[str, int]]:
    for match in pattern.finditer(line):
        one, other = (group for group in match.groups() if group is not None)
        word, number = (other, one) if one.isdigit() else (one, other)
        yield word, int(number or 1)


class _Tally:
    """The summaries of one runner."""

    def __init__(self, form: SummaryFormat) -> None:
        self.form = form
        self._summaries: list[tuple[SummaryFormat, dict[str, int]]] = []
        self._words: set[str] = set()

    def add(self, form: SummaryFormat, counts: dict[str, int]) -> None:
        """Note the counts of one line."""
        self._words |= counts.keys()
        last = self._summaries[-1][1] if self._summaries else None
        if form.spread and last is not None and not last.keys() & counts.keys():
            last.update(counts)
        else:
            self._summaries.append((form, counts))

    def result(self) -> SuiteResult | None:
        """Return the sum; None: these lines only look like summaries of this runner."""
        if self.form.needs and self.form.needs not in self._words:
            return None
        known = [each for each in self._summaries if _is_summary(*each)]
        return sum((_result(*each) for each in known), SuiteResult(0, 0)) if known else None


def _is_summary(form: SummaryFormat, counts: dict[str, int]) -> bool:
    return not counts.keys().isdisjoint(form.total.split("|")) if form.total else bool(counts)


def _result(form: SummaryFormat, counts: dict[str, int]) -> SuiteResult:
    failed = _sum(counts, form.failed)
    if not form.total:
        return SuiteResult(_sum(counts, form.passed), failed)
    passed = _sum(counts, form.total) - failed - _sum(counts, form.left_out)
    return SuiteResult(max(passed, 0), failed)


def _sum(counts: dict[str, int], words: str) -> int:
    return sum(counts.get(word, 0) for word in words.split("|"))
