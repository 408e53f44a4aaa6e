"""Find test runs among commands, and their results."""

import re

from handrail.detect.completed_step import CompletedStep

_INTERPRETER = r"(?:python|node|ruby|php|perl|bash|sh|deno|bun|tsx|java|go run)[\d.]*"
_LOOKS = r"\S*(?:test|spec|check|verif|repro)"
"""Scripts whose name suggests a check."""
# The search skips places inside words quickly, and looks for `./` as it is.
_TESTS = re.compile(
    r"\b(?=[a-z])(?:(?:pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|karma|cypress|playwright|ava|"
    r"rspec|phpunit|pest|ctest|bats|gotestsum|nose2?|trial|behave|runtests?(?:\.py)?|"
    r"(?:npm|pnpm|yarn|bun|cargo|go|dotnet|mix|swift|bazel|deno|flutter|dart|rake|rails|make|just|"
    r"gradlew?|mvnw?|sbt|lein|stack|cabal|composer|poe|hatch|invoke|meson|manage\.py|setup\.py)"
    r"(?: -\S+| run)* (?:test|check|verify|t)(?:[:\w-]*))\b"
    rf"|{_INTERPRETER}(?: -\w+| run)* {_LOOKS})"
    rf"|\./(?<![^ ;&]\./){_LOOKS}"
)
_HINTS = (
    "test", "spec", "check", "verif", "repro", "tox", "nox", "nose", "jest", "mocha", "karma",
    "cypress", "playwright", "ava", "pest", "bats", "trial", "behave", "cargo t",
)  # fmt: skip
"""Plain words to search first: most commands are no tests."""
_SCRIPT = re.compile(rf"\b{_INTERPRETER} |\bcargo run\b")
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failing|failures?|errors?)\b"
    r"|(?:failures|errors|Failures|Errors)[=:] ?[1-9]"
    r"|^FAIL(?:ED|URE)?\b|\bFAILED \(|test result: FAILED|^not ok\b",
    re.MULTILINE,
)
_END = 1_500
"""Characters at the end of an output that tell the result."""


def is_test_run(command: str) -> bool:
    """Return whether a command runs tests."""
    for hint in _HINTS:  # a plain loop: any() with a generator takes three times as long
        if hint in command:
            return _TESTS.search(command) is not None
    return False


def runs_code(command: str) -> bool:
    """Return whether a command runs anything that may be a test."""
    return _SCRIPT.search(command) is not None


def tests_passed(done: CompletedStep) -> bool:
    """Return whether the tests passed; a pipe hides the exit code, but not the output."""
    if done.ending != "ok":
        return False
    end = done.outcome.output[-_END:]
    lower = end.lower()
    return not ("fail" in lower or "error" in lower or "not ok" in lower) or not _FAILED.search(end)
