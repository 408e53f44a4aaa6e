"""Find the JUnit XML reports that a command has written, and count their tests.

The agent can write these files, so nothing in them is trusted: sizes and numbers have limits, a
document type (the door to entity bombs) is refused, and links are not followed.
"""

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import translate
from functools import lru_cache
from xml.parsers import expat

from handrail.fleet.test_results.suite_result import SuiteResult

PLACES = (
    "*junit*.xml",
    "*test-results*.xml",
    "*test-report*.xml",
    "TEST-*.xml",
    "test-results/**/*.xml",
    "test-reports/**/*.xml",
    "reports/**/*.xml",
    "coverage/*junit*.xml",
    "build/test-results/**/*.xml",
    "target/surefire-reports/*.xml",
    "target/failsafe-reports/*.xml",
    "target/nextest/*/*.xml",
    # One level down: the modules of a Maven or Gradle build, the packages of a JavaScript one.
    "*/target/surefire-reports/*.xml",
    "*/build/test-results/**/*.xml",
    "*/*junit*.xml",
    "packages/*/*junit*.xml",
)
"""Where test runners usually write their reports, relative to the work tree."""

MOST_ENTRIES = 20_000
"""Names that a search looks at."""
MOST_REPORTS = 2_000
LARGEST_REPORT = 8_000_000
LARGEST_SUM = 32_000_000
"""Bytes of all reports together."""
MOST_ELEMENTS = 300_000
"""Elements of all reports together."""
_CHUNK = 65_536
_CLOCK_STEP = 0.05
"""Seconds by which the clock of a file system may lag behind that of programs."""
_SKIPPED_FOLDERS = frozenset({".git", "node_modules", ".venv", "venv", "vendor"})
_ROOTS = frozenset({"testsuite", "testsuites"})
_FAILED = frozenset({"failure", "error"})
_NOT_RUN = frozenset({"notrun", "skipped", "disabled", "ignored"})

Case = tuple[int, bool]
"""A hash of the class and name of a test, and whether it failed."""


class _NotAReportError(ValueError):
    """The file is something else, or hostile."""


def read_reports(folder: str, since: float, places: Sequence[str] = ()) -> SuiteResult | None:
    """Count the tests in the reports written since a moment (seconds since 1970); None: no report.

    `places`: globs relative to the folder; without them the usual places are searched.
    """
    budget = _SearchBudget()
    seen: set[Case] = set()
    passed = failed = 0
    found = False
    for path, size in _written_since(folder, since, places or PLACES, budget):
        if not budget.allows(size):
            continue
        cases = _read(path, budget)
        if cases is None:
            continue
        found = True
        # Some tools write every report twice, for instance one of each class and one of all.
        if cases.keys() <= seen:
            continue
        seen |= cases.keys()
        failures = sum(count for (_, is_failed), count in cases.items() if is_failed)
        failed += failures
        passed += cases.total() - failures
    return SuiteResult(passed, failed) if found else None


def _written_since(
    folder: str, since: float, places: Sequence[str], budget: "_SearchBudget"
) -> list[tuple[str, int]]:
    """Return the reports and their sizes, the largest first."""
    sizes: dict[str, int] = {}
    for place in places:
        parts = [part for part in place.split("/") if part not in ("", ".")]
        if not parts or ".." in parts or place.startswith("/"):
            continue
        for path in _matching(folder, parts, budget):
            size = _fresh_size(path, since)
            if size is not None:
                sizes[path] = size
            if len(sizes) >= MOST_REPORTS:
                break
    return sorted(sizes.items(), key=lambda item: (-item[1], item[0]))


class _SearchBudget:
    """What one search may still look at and read."""

    def __init__(self) -> None:
        self.elements = MOST_ELEMENTS
        self._left = MOST_ENTRIES
        self._bytes = LARGEST_SUM

    def allows(self, size: int) -> bool:
        """Return whether a report of this size may be read, and take it into account."""
        if size > self._bytes or self.elements <= 0:
            return False
        self._bytes -= size
        return True

    def entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        """Return the content of a folder until the budget is spent."""
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if self._left <= 0:
                        return
                    self._left -= 1
                    yield entry
        except (OSError, ValueError):
            return


def _matching(folder: str, parts: Sequence[str], budget: _SearchBudget) -> Iterator[str]:
    """Return the paths below a folder that fit a glob; links lead nowhere."""
    part, *rest = parts
    if part == "**":
        if rest:
            yield from _matching(folder, rest, budget)
        for name in _folders(folder, budget):
            yield from _matching(os.path.join(folder, name), parts, budget)
    elif not rest:
        fits = _name_pattern(part)
        yield from (
            entry.path
            for entry in budget.entries(folder)
            if fits.match(entry.name) and entry.is_file(follow_symlinks=False)
        )
    elif _is_wild(part):
        fits = _name_pattern(part)
        for name in _folders(folder, budget):
            if fits.match(name):
                yield from _matching(os.path.join(folder, name), rest, budget)
    elif _is_folder(inner := os.path.join(folder, part)):
        yield from _matching(inner, rest, budget)


def _folders(folder: str, budget: _SearchBudget) -> list[str]:
    return sorted(
        entry.name
        for entry in budget.entries(folder)
        if entry.name not in _SKIPPED_FOLDERS and entry.is_dir(follow_symlinks=False)
    )


def _is_wild(part: str) -> bool:
    return any(character in part for character in "*?[")


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=64)
def _name_pattern(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))


def _fresh_size(path: str, since: float) -> int | None:
    """Return the size of a report that is new enough to be this command's; None: it is not."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    # Anybody can set the time of the content, but not the time of the last change to the file.
    if min(found.st_mtime, found.st_ctime) < since - _CLOCK_STEP or not stat.S_ISREG(found.st_mode):
        return None
    return found.st_size if found.st_size <= LARGEST_REPORT else None


def _read(path: str, budget: _SearchBudget) -> Counter[Case] | None:
    """Return the cases in a report; None: it is no report."""
    try:
        # Something else may be there by now: a link, or a pipe without a writer.
        report = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(report, "rb") as file:
            data = file.read(LARGEST_REPORT + 1)
        return None if len(data) > LARGEST_REPORT else _count_cases(data, budget)
    except (OSError, _NotAReportError):
        return None


def _count_cases(data: bytes, budget: _SearchBudget) -> Counter[Case]:
    reader = _ReportReader(budget)
    try:
        for start in range(0, len(data), _CHUNK):
            reader.parser.Parse(data[start : start + _CHUNK], False)
        reader.parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as error:  # or an unknown encoding
        raise _NotAReportError(str(error)) from error
    return reader.cases


class _ReportReader:
    """Note the cases while the parser goes through a report."""

    def __init__(self, budget: _SearchBudget) -> None:
        self._budget = budget
        self.cases: Counter[Case] = Counter()
        self._path: list[str] = []
        self._case: Case | None = None
        """The case that the parser is in; None: in none, or in one that did not run."""
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def _refuse(self, *_: object) -> None:
        raise _NotAReportError("a report has no document type")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._path and name not in _ROOTS:
            raise _NotAReportError(f"{name} is no report")
        self._path.append(name)
        self._budget.elements -= 1
        if self._budget.elements < 0:
            raise _NotAReportError("too many elements")
        if name == "testcase":
            ran = attributes.get("status", "") not in _NOT_RUN
            case = hash((attributes.get("classname", ""), attributes.get("name", "")))
            self._case = (case, False) if ran else None
        elif self._case is not None and self._path[-2] == "testcase":
            if name in _FAILED:
                self._case = (self._case[0], True)
            elif name == "skipped":
                self._case = None

    def _end(self, name: str) -> None:
        self._path.pop()
        if name == "testcase" and self._case is not None:
            self.cases[self._case] += 1
            self._case = None
