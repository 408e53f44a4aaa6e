"""What is said around the picture of a restore: what it is, what to know, how it went."""

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from shlex import quote
from time import time
from uuid import uuid4

import msgspec

from handrail.checkpoint import (
    CheckpointRecord,
    ConversationPosition,
    RestorePreview,
    RestoreTarget,
    UndoLevel,
)
from handrail.checkpoint.restore.journal import InterruptedRestore
from handrail.cli.history.runs import find_home
from handrail.cli.output.terminal import TerminalOutput, visible, wrap
from handrail.cli.restores.preview_lines import changes
from handrail.cli.restores.project_checkpoints import run_names
from handrail.model.host import profile_of
from handrail.server.files.restore_messages import PreviewReply, RestoreReply
from handrail.words.amounts import count
from handrail.words.times import duration_in_words

_SHORT = 8
_RUN = re.compile(r"\brun ([\w.-]+)")

Styled = tuple[str, str]
"""A text and its style."""


class RestoreAnswer(Enum):
    """What a person says to it."""

    NO = "no"
    YES = "yes"
    OVER = "over"
    """Yes, and also where others have changed something since."""


_YES = {"y": RestoreAnswer.YES, "yes": RestoreAnswer.YES}
_OVER = {"o": RestoreAnswer.OVER, "over": RestoreAnswer.OVER}


class RestoreManner(msgspec.Struct, frozen=True, kw_only=True):
    """How it is asked for."""

    verb: str
    """Of what is done: Undo."""
    ask: str
    """Whether it is to be done: Undo this?"""
    done: str
    """Of what was done: undone."""
    command: str
    """As it was typed, to be typed again with --yes."""
    over: bool = False
    files_only: bool = False
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False


def names_in(look: PreviewReply) -> Mapping[str, str]:
    """What people call the runs that are spoken of."""
    texts = (look.preview.way.says, *(each.why for each in look.preview.spared))
    spoken = {found for text in texts for found in _RUN.findall(text)}
    return run_names(find_home(), (*spoken, *look.working, *look.since))


def with_names(look: PreviewReply, names: Mapping[str, str]) -> PreviewReply:
    """The same with runs called as people call them."""

    def named(text: str) -> str:
        return _RUN.sub(lambda found: f"run {names[found[1]]}", text)

    replace = msgspec.structs.replace
    preview = look.preview
    way = replace(preview.way, says=named(preview.way.says))
    spared = tuple(replace(each, why=named(each.why)) for each in preview.spared)
    return replace(look, preview=replace(preview, way=way, spared=spared))


def title(way: RestoreTarget, manner: RestoreManner) -> str:
    """What is undone, and from when it is."""
    target = way.target
    what = way.says if way.level is not UndoLevel.CHECKPOINT else f"to {target.id} {target.name}"
    record = way.base if way.level is UndoLevel.REDO and way.base else target
    ago = duration_in_words(time() - record.created_at.timestamp())
    return f"{manner.verb} {what.rstrip()}, {ago} ago"


def half_done(earlier: InterruptedRestore) -> Iterator[Styled]:
    """What an earlier restore has left behind that was killed in the middle."""
    target, undo = earlier.target, earlier.undo
    yield f"Going back to {target} was interrupted: some files are as then, some are not.", "red"
    yield f"To finish it: handrail rollback {target}; to take it back: handrail rollback {undo}", ""


def remarks(
    look: PreviewReply, manner: RestoreManner, names: Mapping[str, str]
) -> Iterator[Styled]:
    """What a person should know before."""
    preview = look.preview
    target = preview.way.target
    if look.since:
        each = (f"{count(n, 'action')} of run {names[run]}" for run, n in look.since.items())
        yield f"Lost: what was done to these files since, by {', '.join(each)}.", "yellow"
    if target.head and preview.head and target.head != preview.head:
        then, now = target.head[:_SHORT], preview.head[:_SHORT]
        stays = f"Your branch stays at {now}; it was at {then} then."
        yield f"{stays} To move it too, afterwards: git reset --soft {then}", "yellow"
    if preview.items and not target.coverage.complete:
        yield f"{target.id} is partial: what is not in it is left as it is.", "yellow"
    if target.late:
        began = "taken while the agent already changed files"
        yield f"{target.id} was {began}: a part of that may not come back.", "yellow"
    for run in look.working:
        waits = "its next change waits until this is done"
        yield f"Run {names[run]} is working: {waits}.", "yellow"
    if (kept := _kept(preview, manner)) and preview.items:
        yield f"{count(kept, 'kept file')} can be overwritten too: --over, or answer o.", "dim"


def answers_to(preview: RestorePreview, manner: RestoreManner) -> Mapping[str, RestoreAnswer]:
    """What may be answered, and what it means."""
    if not preview.items and not manner.over:
        return dict.fromkeys(_YES, RestoreAnswer.OVER)
    return _YES | _OVER if _kept(preview, manner) else _YES


def question(screen: TerminalOutput, preview: RestorePreview, manner: RestoreManner) -> str:
    """Whether it is to be done."""
    hint = screen.paint(f"(afterwards: {_take_back(preview.way)})", "dim")
    kept = _kept(preview, manner)
    if kept and not preview.items:
        return f"Overwrite {count(kept, 'kept file')}? [y/N]   {hint}"
    choice = "[y/N/o]" if kept else "[y/N]"
    counted = changes(preview, over=manner.over)
    # Many are counted by sort, which needs a line of its own.
    between = "\n" if ":" in counted else ""
    return f"{counted}.{between} {manner.ask} {choice}   {hint}"


def _kept(preview: RestorePreview, manner: RestoreManner) -> int:
    """How many files others have changed since, which are left alone unless one says so."""
    return 0 if manner.over else sum(each.conflict for each in preview.spared)


def result(way: RestoreTarget, back: RestoreReply, manner: RestoreManner) -> Iterator[Styled]:
    """How it went; only what was compared is said to be done."""
    if back.problem:
        yield f"✗ NOT ALL FILES ARE AS THEY WERE: {back.problem}", "red"
        if back.undo:
            yield f"How they were before this: handrail rollback {back.undo}", ""
        return
    done = f"{count(len(back.items), 'change')} {manner.done}"
    yield f"✓ {done}, and compared with {way.target.id}.", "green"
    if left := sum(each.conflict for each in back.spared):
        yield f"  {count(left, 'file')} left alone, which others have changed since.", "yellow"
    yield f"  Take it back: {_take_back(way)}", "dim"


def take_up(conversation: ConversationPosition | None, target: CheckpointRecord) -> str:
    """The command line that goes on with a conversation at a checkpoint; empty: none."""
    if conversation is None or not conversation.message:
        return ""
    profile = profile_of(conversation.host)
    if profile is None or not profile.resume_at:
        return ""
    command = profile.resume_at.format(
        session=quote(conversation.session),
        message=quote(conversation.message),
        copy=uuid4(),
        checkpoint=target.id,
    )
    return visible(f"cd {quote(target.work_tree)} && {command}")


def say(screen: TerminalOutput, text: str, style: str) -> None:
    """Print a text, broken to the width; what it begins with stands before every line."""
    lead = " " * (1 + len(text) - len(text.lstrip()))
    for line in wrap(text.lstrip(), screen.width - len(lead)):
        screen.say(f"{lead}{screen.paint(line, style)}")


def _take_back(way: RestoreTarget) -> str:
    """The command that takes this back again."""
    if way.level is UndoLevel.REDO and way.base is not None:
        return f"handrail rollback {way.base.id}"
    return "handrail redo"
