"""The texts of a restore: title, remarks, question and result."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from shlex import quote
from uuid import uuid4

import click
import msgspec

from handrail.checkpoint import (
    CheckpointRecord,
    ConversationPosition,
    RestorePreview,
    RestoreTarget,
    UndoLevel,
)
from handrail.checkpoint.restore.journal import InterruptedRestore
from handrail.checkpoint.restore.target import SparedFile
from handrail.cli.history.runs import KnownRuns, find_home, read_log
from handrail.cli.output.terminal import TerminalOutput, visible
from handrail.cli.restores.preview_lines import changes_in_words
from handrail.cli.restores.project_checkpoints import run_names
from handrail.model.host import profile_of
from handrail.server.files.restore_messages import PreviewReply, RestoreReply
from handrail.server.files.restore_wording import (
    RUN,
    gaps,
    half_done,
    lost_changes,
    restore_title,
    runs_in,
)
from handrail.words.amounts import count

_SHORT = 8
_MAX_NAMED = 5

_UNDO_AGAIN = "run `handrail redo` and `{}`"
_AGAIN = {UndoLevel.CHECKPOINT: "run `{}` again", UndoLevel.REDO: ""}
"""How to restore the files that could not be written, by level; an undo starts from before it."""

Styled = tuple[str, str]
"""A text and its style."""


class RestoreAnswer(Enum):
    """The user's answer to the question."""

    NO = "no"
    YES = "yes"
    OVER = "over"
    """Yes, and overwrite files that others changed since."""


_YES = {"y": RestoreAnswer.YES, "yes": RestoreAnswer.YES}
_OVER = {"o": RestoreAnswer.OVER, "over": RestoreAnswer.OVER}


class RestoreManner(msgspec.Struct, frozen=True, kw_only=True):
    """How the user asked for a restore."""

    verb: str
    """Undo, Redo or Roll back."""
    done: str
    """The participle: undone."""
    command: str
    """The command line as it was typed, without --yes."""
    over: bool = False
    whole: bool = False
    git: bool = False
    files_only: bool = False
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False


def names_in(look: PreviewReply) -> Mapping[str, str]:
    """Return the names of the runs that a preview mentions."""
    return run_names(find_home(), runs_in(look))


def with_run_names(error: str) -> str:
    """Replace the ids of runs in an error by their names, as far as the log knows them."""
    try:
        with read_log(find_home()) as store:
            names = KnownRuns(store).names(set(RUN.findall(error)))
    except click.ClickException:
        return error
    return RUN.sub(lambda found: f"run {names.get(found[1], found[1])}", error)


def title(way: RestoreTarget, manner: RestoreManner) -> str:
    """Describe what Handrail undoes, and its age."""
    return restore_title(way, manner.verb)


def half_done_lines(earlier: InterruptedRestore) -> Iterator[Styled]:
    """Describe an earlier restore that was killed in the middle, and the ways on."""
    yield half_done(earlier), "red"
    finish, back = f"handrail rollback {earlier.target}", f"handrail rollback {earlier.undo}"
    yield f"Finish it: {finish}. Take it back: {back}", ""


def remarks(
    look: PreviewReply, manner: RestoreManner, names: Mapping[str, str]
) -> Iterator[Styled]:
    """Tell what the user should know before."""
    preview = look.preview
    target = preview.way.target
    for text in lost_changes(look, names):
        yield text, "yellow"
    if target.head and preview.head and target.head != preview.head:
        then, now = target.head[:_SHORT], preview.head[:_SHORT]
        stays = f"Your branch stays at {now}; at the checkpoint it was at {then}."
        move = f"To move it too, run afterwards: git reset --soft {then}"
        if preview.way.level is not UndoLevel.CHECKPOINT:
            move = "To take back commits and branches, too, add --git."
        if look.git is None:
            yield f"{stays} {move}", "yellow"
    for text in gaps(look, names):
        yield text, "yellow"
    if (kept := _kept(preview, manner)) and preview.items:
        yield f"{count(kept, 'kept file')} can be overwritten: add --over, or answer o.", "dim"


def answers_to(look: PreviewReply, manner: RestoreManner) -> Mapping[str, RestoreAnswer]:
    """Return the valid answers and their meaning."""
    if not look.preview.items and not manner.over and not git_changes(look):
        return dict.fromkeys(_YES, RestoreAnswer.OVER)
    return _YES | _OVER if _kept(look.preview, manner) else _YES


def question(screen: TerminalOutput, look: PreviewReply, manner: RestoreManner) -> str:
    """Return the question."""
    preview = look.preview
    hint = screen.paint(f"(take it back: {_take_back(preview.way, manner)})", "dim")
    kept = _kept(preview, manner)
    if kept and not preview.items and not git_changes(look):
        return f"Overwrite {count(kept, 'kept file')}? [y/N]   {hint}"
    choice = "[y/N/o]" if kept else "[y/N]"
    counted = counted_changes(look, manner)
    # A long count gets a line of its own.
    between = "\n" if ":" in counted else ""
    return f"{counted}.{between} {manner.verb}? {choice}   {hint}"


def git_changes(look: PreviewReply) -> int:
    """Count what would change in the user's repository."""
    return len(look.git.lines) if look.git else 0


def counted_changes(look: PreviewReply, manner: RestoreManner) -> str:
    """Count the changes of files and those in the repository; leave out what has none."""
    files = changes_in_words(look.preview, over=manner.over)
    if not (number := git_changes(look)):
        return files
    in_git = f"{count(number, 'change')} in the repository"
    has_files = look.preview.items or (manner.over and look.preview.spared)
    return f"{files}, {in_git}" if has_files else in_git


def _kept(preview: RestorePreview, manner: RestoreManner) -> int:
    """Count the files that others changed since and that Handrail leaves alone."""
    return 0 if manner.over else _conflicts(preview)


def is_blocked(look: PreviewReply, manner: RestoreManner) -> bool:
    """Return whether files that cannot be written leave nothing to do."""
    others = look.preview.items or git_changes(look) or _conflicts(look.preview)
    return bool(_unwritable(look.preview.spared)) and (manner.whole or not others)


def blocked(look: PreviewReply, manner: RestoreManner) -> Iterator[Styled]:
    """Tell why nothing is restored, and what to do."""
    because = " (--whole)" if manner.whole else ""
    named = _few(_unwritable(look.preview.spared))
    yield f"✗ NOTHING RESTORED{because}, because their folder cannot be written: {named}", "red"
    yield "Make the folder writable, then run this again.", ""


def _conflicts(preview: RestorePreview) -> int:
    return sum(each.conflict for each in preview.spared)


def _unwritable(spared: Sequence[SparedFile]) -> list[str]:
    return [each.path for each in spared if each.unwritable]


def _few(paths: Sequence[str]) -> str:
    return ", ".join(paths[:_MAX_NAMED]) + (", …" if len(paths) > _MAX_NAMED else "")


def result(way: RestoreTarget, back: RestoreReply, manner: RestoreManner) -> Iterator[Styled]:
    """Report the result; claim only what Handrail compared."""
    if back.problem and back.unchanged:
        yield f"✗ NOTHING RESTORED: {back.problem}", "red"
        return
    if back.problem:
        yield f"✗ SOME FILES WERE NOT RESTORED: {back.problem}", "red"
        if back.undo:
            yield f"Go back to the files before this: handrail rollback {back.undo}", ""
        return
    done = f"{count(len(back.items), 'change')} {manner.done}"
    if back.items or not back.git:
        yield f"✓ {done}, and compared with {way.target.id}.", "green"
    for line in back.git:
        yield f"✓ {line}", "green"
    if left := sum(each.conflict for each in back.spared):
        yield f"  Left {count(left, 'file')} alone that others changed since.", "yellow"
    if shut := _unwritable(back.spared):
        yield f"  NOT RESTORED, because their folder cannot be written: {_few(shut)}", "red"
        if again := _AGAIN.get(way.level, _UNDO_AGAIN):
            yield f"  Make the folder writable, then {again.format(manner.command)}.", ""
    if back.git and way.level is UndoLevel.REDO:
        # A rollback leaves the repository alone, so it takes only a half of this back.
        yield f"  Take back the files: {_take_back(way, manner)}", "dim"
        yield "  What git had before is below refs/handrail/.", "dim"
    else:
        yield f"  Take it back: {_take_back(way, manner)}", "dim"


def resume_command(conversation: ConversationPosition | None, target: CheckpointRecord) -> str:
    """Return the command that resumes the conversation at a checkpoint, or ""."""
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


def print_wrapped(screen: TerminalOutput, text: str, style: str) -> None:
    """Print a text, wrapped to the width and indented like its beginning."""
    screen.paragraph(text.lstrip(), style, indent=1 + len(text) - len(text.lstrip()))


def _take_back(way: RestoreTarget, manner: RestoreManner) -> str:
    """Return the command that takes this restore back."""
    if way.level is UndoLevel.REDO and way.base is not None:
        return f"handrail rollback {way.base.id}"
    return "handrail redo --git" if manner.git else "handrail redo"


def repository_lines(look: PreviewReply) -> Iterator[Styled]:
    """Tell what goes back in the user's repository, and what stays."""
    if look.git is None:
        return
    for line in look.git.lines:
        yield f"  git       {line}", "yellow"
    for part in look.git.spared:
        yield f"  git keep  {part.name}: {part.why} → left alone", "dim"
