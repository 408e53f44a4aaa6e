"""Edits that take tests away instead of making them pass."""

import re
from collections.abc import Iterator, Sequence

from handrail.model.action import Action

_TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|e2e)(?:/|$)|(?:^|/)test_[^/]*$|[._-](?:test|spec)s?\.\w+$"
    r"|Tests?\.\w+$"
)
# Plain words, counted in the old and the new text alike: an expression would take far longer.
_CHECKS = (
    "assert",
    "expect(",
    "def test",
    " it(",
    "test(",
    "describe(",
    "func Test",
    "[test]",
    "@Test",
)
_SKIPS = (
    "mark.skip", "mark.xfail", "unittest.skip", "pytest.skip", ".skip(", ".todo(", "xit(",
    "xdescribe(", "xtest(", "t.Skip", "#[ignore", "@Disabled", "@Ignore",
)  # fmt: skip
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
    return _count(_CHECKS, new) < _count(_CHECKS, old) or _count(_SKIPS, new) > _count(_SKIPS, old)


def _count(words: tuple[str, ...], text: str) -> int:
    return sum(map(text.count, words))
