"""Commands that test, build or check the work."""

import re
from functools import lru_cache

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
_CHECKS = re.compile(
    r"\b(?:make|ninja|cmake|cargo|tsc|mypy|pyright|ruff|flake8|pylint|eslint|gcc|g\+\+|clang|javac|"
    r"rustc|shellcheck|go (?:build|vet|run)|dotnet build|swift build|gradlew?|mvnw?|"
    r"(?:npm|pnpm|yarn|bun)(?: run)? (?:build|lint|start|dev|typecheck)|docker build|"
    r"terraform (?:plan|validate)|pre-commit)\b"
)


@lru_cache(maxsize=512)
def is_test_run(command: str) -> bool:
    """Return whether a command runs tests."""
    for hint in _HINTS:  # a plain loop: any() with a generator takes three times as long
        if hint in command:
            return _TESTS.search(command) is not None
    return False


def is_check_run(command: str) -> bool:
    """Return whether a command tests, builds or checks the work, or runs a program of it."""
    return is_test_run(command) or _CHECKS.search(command) is not None or runs_code(command)


def runs_code(command: str) -> bool:
    """Return whether a command runs anything that may be a test."""
    return _SCRIPT.search(command) is not None
