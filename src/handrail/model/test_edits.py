"""Edits that take tests away instead of making them pass."""

import re
from collections.abc import Iterator, Sequence

from handrail.model.action import Action

_TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|e2e)(?:/|$)|(?:^|/)test_[^/]*$|[._-](?:test|spec)s?\.\w+$"
    r"|Tests?\.\w+$"
)
_CHECKS = re.compile(
    r"\bassert|\bexpect\(|\bdef test|\b(?:it|test|describe)\(|\bfunc Test|#\[test\]|@Test\b"
)
_SKIPS = re.compile(
    r"\bmark\.(?:skip|xfail)|\bunittest\.skip|\b(?:it|test|describe)\.(?:skip|todo)\b|\bpytest\.skip"
    r"|\bx(?:it|describe|test)\(|\bt\.Skip|#\[ignore|@Disabled\b|@Ignore\b"
)
_MAX_TEXT = 20_000


def is_test_file(path: str) -> bool:
    """Return whether a path is that of a test, or of a folder of tests."""
    return _TEST_FILE.search(path) is not None


def weakened_test(action: Action, deleted: Sequence[str]) -> str:
    """Return the test file that an action deletes, or from which it takes checks; or ""."""
    for path in deleted:
        if is_test_file(path):
            return path
    edited = action.input.get("file_path")
    if not isinstance(edited, str) or not is_test_file(edited):
        return ""
    return edited if any(_is_weaker(old, new) for old, new in _edits(action)) else ""


def _edits(action: Action) -> Iterator[tuple[str, str]]:
    several = action.input.get("edits")
    for each in several if isinstance(several, list) else [action.input]:
        if not isinstance(each, dict):
            continue
        old, new = each.get("old_string"), each.get("new_string")
        if isinstance(old, str) and isinstance(new, str):
            yield old[:_MAX_TEXT], new[:_MAX_TEXT]


def _is_weaker(old: str, new: str) -> bool:
    fewer = len(_CHECKS.findall(new)) < len(_CHECKS.findall(old))
    return fewer or len(_SKIPS.findall(new)) > len(_SKIPS.findall(old))
