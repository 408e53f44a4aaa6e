"""Differences between saved trees, without secrets and of bounded size."""

from collections.abc import Sequence

import msgspec

from handrail.checkpoint import CheckpointStore
from handrail.checkpoint.comparison import ChangedFile
from handrail.redact import Redactor
from handrail.server.api.problems import not_found

_MAX_PATHS = 300
_MAX_FILES = 2_000
_MAX_TEXT = 200_000


class Patch(msgspec.Struct, frozen=True):
    """The files that differ, and how."""

    files: tuple[ChangedFile, ...] = ()
    text: str = ""
    cut: bool = False


def patch_between(
    checkpoints: CheckpointStore, trees: tuple[str, str], paths: Sequence[str], redactor: Redactor
) -> Patch:
    """Compare two saved trees, or some paths of them; it blocks on git."""
    shown = paths[:_MAX_PATHS]
    comparison = checkpoints.compare(trees, shown)
    if len(shown) == 1 and not comparison.knows(shown[0]):
        raise not_found("file", shown[0])
    files = comparison.files()
    # Cut twice: the second cut drops a secret that the first one split.
    whole = comparison.patch()
    text = redactor.text(whole[: 2 * _MAX_TEXT].decode(errors="replace"))
    is_cut = len(whole) > 2 * _MAX_TEXT or len(text) > _MAX_TEXT
    if is_cut:
        text = text[: text[:_MAX_TEXT].rfind("\n") + 1]
    is_cut = is_cut or len(paths) > len(shown) or len(files) > _MAX_FILES
    return Patch(tuple(files[:_MAX_FILES]), text, is_cut)
