"""What a checkpoint does not hold, in few words that are still exact."""

from collections.abc import Callable, Iterable, Sequence

from handrail.checkpoint.caps import folders_above
from handrail.checkpoint.memory import is_text
from handrail.checkpoint.record import Coverage, LeftOut

MAX_LEFT_OUT = 1_000


def bounded(
    left_out: Sequence[LeftOut], known: Callable[[], Iterable[str]], *, unfinished: bool = False
) -> Coverage:
    """The coverage by a list that is not too long.

    `known`: gives the paths in the index; folders without any stand for all that is in them.
    """
    entries = {each.path: each.why for each in left_out}
    if len(entries) > MAX_LEFT_OUT:
        entries = _by_folder(entries, known())
    listed = sorted(entries)[:MAX_LEFT_OUT]
    # A name that is not text cannot be written down as it is.
    exact = len(listed) == len(entries) and all(map(is_text, listed))
    return Coverage(
        tuple(LeftOut(_shown(path), entries[path]) for path in listed),
        unfinished or not exact,
    )


def _by_folder(entries: dict[str, str], known: Iterable[str]) -> dict[str, str]:
    used = {folder for path in known for folder in folders_above(path)}
    found: dict[str, str] = {}
    for path, why in entries.items():
        unused = [folder for folder in folders_above(path) if folder not in used]
        found.setdefault(unused[-1] if unused else path, why)
    return found


def _shown(path: str) -> str:
    return path if is_text(path) else path.encode(errors="backslashreplace").decode()
