"""What a restore does and loses, in words."""

import re
from collections.abc import Iterator, Mapping
from time import time

import msgspec

from handrail.checkpoint import RestoreTarget, UndoLevel
from handrail.checkpoint.restore.journal import InterruptedRestore
from handrail.server.files.restore_messages import PreviewReply
from handrail.words.amounts import count
from handrail.words.times import duration_in_words

RUN = re.compile(r"\brun ([\w.-]+)")
"""A run in a sentence, by its id."""
MADE = {UndoLevel.ACTION: "created by it", UndoLevel.REDO: "restored by it"}
"""Of a file that a restore deletes: why; by default it was created since."""


def runs_in(look: PreviewReply) -> tuple[str, ...]:
    """Return the ids of the runs that a preview mentions."""
    texts = (look.preview.way.says, *(each.why for each in look.preview.spared))
    spoken = {found for text in texts for found in RUN.findall(text)}
    return (*spoken, *look.working, *look.since)


def with_names(look: PreviewReply, names: Mapping[str, str]) -> PreviewReply:
    """Replace ids of runs by names."""

    def named(text: str) -> str:
        return RUN.sub(lambda found: f"run {names[found[1]]}", text)

    replace = msgspec.structs.replace
    preview = look.preview
    way = replace(preview.way, says=named(preview.way.says))
    spared = tuple(replace(each, why=named(each.why)) for each in preview.spared)
    return replace(look, preview=replace(preview, way=way, spared=spared))


def restore_title(way: RestoreTarget, verb: str) -> str:
    """Describe what Handrail undoes, and its age; `verb`: Undo, Redo or Roll back."""
    target = way.target
    what = way.says if way.level is not UndoLevel.CHECKPOINT else f"to {target.id} {target.name}"
    record = way.base if way.level is UndoLevel.REDO and way.base else target
    ago = duration_in_words(time() - record.created_at.timestamp())
    return f"{verb} {what.rstrip()}, {ago} ago"


def half_done(earlier: InterruptedRestore) -> str:
    """Describe an earlier restore that was killed in the middle."""
    return (
        f"An earlier rollback to {earlier.target} was interrupted. "
        "Some files are rolled back, some not."
    )


def lost_changes(look: PreviewReply, names: Mapping[str, str]) -> Iterator[str]:
    """Tell whose changes get lost."""
    if look.since and look.preview.items:
        each = (f"{count(n, 'action')} of run {names[run]}" for run, n in look.since.items())
        yield f"You lose changes to these files by {', '.join(each)}."


def gaps(look: PreviewReply, names: Mapping[str, str]) -> Iterator[str]:
    """Tell what the checkpoint does not hold, and who is held meanwhile."""
    target = look.preview.way.target
    if look.preview.items and not target.coverage.complete:
        yield f"{target.id} is incomplete. Files that are not in it stay as they are."
    if target.late:
        began = "saved while the agent already changed files"
        yield f"{target.id} was {began}. Some of these changes may remain."
    for batch in look.copies:
        text = "It overwrote files that no checkpoint holds. Put the copies back:"
        yield f"{text} handrail restore {batch}"
    for run in look.working:
        yield f"Run {names[run]} is working. Its next change waits for this."
