"""Windows that nobody may see: a screen that shows one is neither kept nor sent."""

from collections.abc import Sequence
from fnmatch import fnmatchcase


def find_exclusion(titles: Sequence[str], patterns: Sequence[str]) -> str:
    """Return the first glob that fits the title of a window, or "" if none does.

    Case does not count.
    """
    for pattern in patterns:
        for title in titles:
            if fnmatchcase(title.casefold(), pattern.casefold()):
                return pattern
    return ""
