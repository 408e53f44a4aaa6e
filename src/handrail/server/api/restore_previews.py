"""What the API tells about a restore of files: before, and after."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Self

import msgspec

from handrail.api.messages.files import (
    PathChange,
    PathFate,
    PreviewAnswer,
    RestoreOrder,
    RestoreOutcome,
)
from handrail.checkpoint import UndoLevel
from handrail.checkpoint.restore.target import FileRestoreAction, RestoreItem, SparedFile
from handrail.server.api.patches import Patch
from handrail.server.api.problems import ProblemError
from handrail.server.files.restore_messages import PreviewReply, RestoreReply, RestoreRequest
from handrail.server.files.restore_wording import (
    MADE,
    gaps,
    half_done,
    lost_changes,
    restore_title,
)
from handrail.words.amounts import count

_BETWEEN = "~"
MAX_PATHS = 5_000
CREATED = "created since"
_VERBS = {UndoLevel.CHECKPOINT: "Roll back", UndoLevel.REDO: "Redo"}
_DONE = {UndoLevel.CHECKPOINT: "rolled back", UndoLevel.REDO: "redone"}


class PreviewedRestore(msgspec.Struct, frozen=True):
    """What a preview was about, as its `expects` carries it from the preview to the restore."""

    now: str
    """The tree of the files then."""
    target: str
    base: str
    git: str
    run: str

    @classmethod
    def of(cls, look: PreviewReply) -> Self:
        """Return what a preview was about."""
        way = look.preview.way
        base = way.base.id if way.base else ""
        return cls(look.preview.now, way.target.id, base, look.git_digest, way.run)

    @classmethod
    def read(cls, expects: str) -> Self:
        """Read it from `expects`."""
        parts = expects.split(_BETWEEN, 4)
        if len(parts) != 5 or not parts[0] or not parts[1]:
            says = "Ask for a preview first, and send its `expects`."
            raise ProblemError(400, "Nothing was previewed", says)
        return cls(*parts)

    @property
    def expects(self) -> str:
        """Return it as a text."""
        return _BETWEEN.join((self.now, self.target, self.base, self.git, self.run))


def preview_answer(
    look: PreviewReply, names: Mapping[str, str], order: RestoreOrder, patch: Patch
) -> PreviewAnswer:
    """Tell what a restore of files would do; `look` names runs, `names` are by their ids."""
    preview = look.preview
    level = preview.way.level
    made = MADE.get(level, CREATED)
    changes = path_changes(preview.items, preview.spared, made, over=order.over)
    return PreviewAnswer(
        says=restore_title(preview.way, _VERBS.get(level, "Undo")),
        checkpoint=preview.way.target.id,
        expects=PreviewedRestore.of(look).expects,
        changes=tuple(islice(changes, MAX_PATHS)),
        diff=patch.text,
        tasks_in_progress=(),
        tasks_completed=(),
        commits=look.git.lines if look.git else (),
        merges=(),
        warnings=tuple(_warnings(look, names, patch)),
    )


def path_changes(
    items: Sequence[RestoreItem], spared_files: Sequence[SparedFile], made: str, *, over: bool
) -> Iterator[PathChange]:
    """Yield what a restore does to each file; `made`: who made those that it deletes."""
    for item in items:
        is_gone = item.does is FileRestoreAction.DELETE
        how = _HOW[item.does]
        yield PathChange(item.path, how, made if is_gone else "", item.bytes)
    for spared in spared_files:
        if spared.unwritable:
            yield PathChange(spared.path, "refuse", spared.why, 0)
        else:
            does: PathFate = "change" if over and spared.conflict else "keep"
            yield PathChange(spared.path, does, spared.why, 0)


_HOW: Mapping[FileRestoreAction, PathFate] = {
    FileRestoreAction.CREATE: "restore",
    FileRestoreAction.CHANGE: "change",
    FileRestoreAction.DELETE: "delete",
}


def _warnings(look: PreviewReply, names: Mapping[str, str], patch: Patch) -> Iterator[str]:
    if look.interrupted:
        yield half_done(look.interrupted)
    yield from lost_changes(look, names)
    target, head = look.preview.way.target.head, look.preview.head
    if look.git is None and target and head and target != head:
        yield f"Your branch stays at {head[:8]}; at the checkpoint it was at {target[:8]}."
    yield from gaps(look, names)
    if look.git is not None:
        for part in look.git.spared:
            yield f"{part.name} is left alone: {part.why}"
    if patch.cut:
        yield "The difference is longer than shown."


def restore_outcome(wanted: RestoreRequest, back: RestoreReply) -> RestoreOutcome:
    """Tell what a restore did; claim only what Handrail compared."""
    if back.problem:
        what = "NOTHING RESTORED" if back.unchanged else "SOME FILES WERE NOT RESTORED"
        says = f"{what}: {back.problem}"
    else:
        done = _DONE.get(wanted.level, "undone")
        says = f"{count(len(back.items), 'change')} {done}, and compared with {wanted.target}."
        says = " ".join((says, *(f"{line}." for line in back.git)))
    return RestoreOutcome(
        says=says,
        restored=tuple(each.path for each in back.items[:MAX_PATHS]),
        spared=tuple(f"{each.path}: {each.why}" for each in back.spared[:MAX_PATHS]),
        redo=back.undo,
    )
