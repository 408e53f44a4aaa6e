"""What undo, redo and rollback have in common: look, ask, have it done, say how it went."""

import sys

import click
import msgspec

from handrail.checkpoint import RestorePreview, UndoLevel
from handrail.cli import options
from handrail.cli.daemon_request import ask_daemon
from handrail.cli.history.runs import find_home
from handrail.cli.output.json_line import json_line
from handrail.cli.output.terminal import TerminalOutput, wrap
from handrail.cli.restores.preview_lines import changes, show
from handrail.cli.restores.wording import (
    RestoreAnswer,
    RestoreManner,
    answers_to,
    half_done,
    names_in,
    question,
    remarks,
    result,
    say,
    take_up,
    title,
    with_names,
)
from handrail.server.files.restore_messages import (
    PreviewReply,
    RestoreReply,
    RestoreRequest,
    UndoRequest,
)

EXIT_NOT_ALL = 1
EXIT_NOT_CONFIRMED = 2
_NOBODY = "nobody is here to confirm it: {} --yes"


class _TerminalDialog:
    """Tells a person, and asks."""

    def __init__(self, screen: TerminalOutput, manner: RestoreManner) -> None:
        self._screen = screen
        self._manner = manner

    def show(self, look: PreviewReply) -> None:
        """What would be done."""
        screen, manner = self._screen, self._manner
        names = names_in(look)
        look = with_names(look, names)
        if look.interrupted:
            for text, style in half_done(look.interrupted):
                say(screen, text, style)
            screen.say()
        say(screen, title(look.preview.way, manner), "bold")
        screen.say()
        notes = list(remarks(look, manner, names))
        if look.preview.items or look.preview.spared:
            below = sum(len(wrap(text, screen.width - 1)) for text, _ in notes)
            show(screen, look.preview, over=manner.over, below=below)
            screen.say()
        for text, style in notes:
            say(screen, text, style)

    def agrees(self, look: PreviewReply) -> RestoreAnswer:
        """What the person says to it."""
        if not _is_terminal():
            return RestoreAnswer.NO
        answers = answers_to(look.preview, self._manner)
        sys.stdout.write(f" {question(self._screen, look.preview, self._manner)} ")
        sys.stdout.flush()
        return answers.get(sys.stdin.readline().strip().lower(), RestoreAnswer.NO)

    def leave(self, look: PreviewReply) -> None:
        """Nothing is done."""
        preview = look.preview
        if preview.items and (self._manner.dry_run or not _is_terminal()):
            counted = changes(preview, over=self._manner.over)
            say(self._screen, f"{counted}. Nothing was changed.", "")
        elif preview.items or any(each.conflict for each in preview.spared):
            say(self._screen, "Nothing was changed.", "")
        else:
            files = "all else is as it was" if preview.spared else "the files are as they were"
            say(self._screen, f"Nothing to do: {files} then.", "")

    def tell(self, look: PreviewReply, back: RestoreReply, following: str) -> None:
        """What was done."""
        if look.preview.items or look.preview.spared or back.problem:
            for text, style in result(look.preview.way, back, self._manner):
                say(self._screen, text, style)
        else:
            self.leave(look)
        if following:
            say(self._screen, "Take up the conversation where it was then:", "")
            sys.stdout.write(f"   {following}\n")  # in one piece, to be copied


class _JsonDialog:
    """Tells a program, once."""

    def show(self, look: PreviewReply) -> None:
        """Nothing yet: it is one object in the end."""

    def agrees(self, look: PreviewReply) -> RestoreAnswer:
        """A program says so beforehand."""
        return RestoreAnswer.NO

    def leave(self, look: PreviewReply) -> None:
        """Nothing is done."""
        click.echo(json_line({"done": False, **_told(look)}))

    def tell(self, look: PreviewReply, back: RestoreReply, following: str) -> None:
        """What was done."""
        done = {"done": not back.problem, **_told(look), **msgspec.to_builtins(back)}
        click.echo(json_line({**done, "next": following}))


def restore_files(wanted: UndoRequest, manner: RestoreManner) -> int:
    """Show what would be done, and do it if a person says so; the exit code."""
    home = find_home()
    talk = _JsonDialog() if manner.as_json else _TerminalDialog(options.screen(), manner)
    answer = ask_daemon(home, "/restores/preview", wanted, "looking at what has changed")
    look = msgspec.convert(answer, PreviewReply)
    talk.show(look)
    left = any(each.conflict for each in look.preview.spared)
    is_done = not (look.preview.items or left)
    if manner.dry_run or (is_done and not _goes_back(wanted, look, manner)):
        talk.leave(look)
        return 0
    over = manner.over
    if not manner.yes and not is_done:
        says = talk.agrees(look)
        if says is RestoreAnswer.NO:
            talk.leave(look)
            return _not_confirmed(manner)
        over = over or says is RestoreAnswer.OVER
    if left and not look.preview.items and not over:
        talk.leave(look)
        return EXIT_NOT_ALL
    seen = _seen(wanted.cwd, look.preview, manner, over=over)
    back = msgspec.convert(ask_daemon(home, "/restores", seen, "putting files back"), RestoreReply)
    talk.tell(look, back, take_up(back.conversation, look.preview.way.target))
    left = any(each.conflict for each in back.spared)
    return EXIT_NOT_ALL if back.problem or left else 0


def _goes_back(wanted: UndoRequest, look: PreviewReply, manner: RestoreManner) -> bool:
    """Whether a run goes back with its files: also where none of these has changed."""
    return (
        wanted.level is UndoLevel.CHECKPOINT
        and not manner.files_only
        and bool(look.preview.way.target.run)
    )


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _not_confirmed(manner: RestoreManner) -> int:
    sys.stdout.flush()
    if manner.as_json or not _is_terminal():
        click.echo(f"handrail: {_NOBODY.format(manner.command)}", err=True)
    return EXIT_NOT_CONFIRMED


def _seen(
    cwd: str, preview: RestorePreview, manner: RestoreManner, *, over: bool
) -> RestoreRequest:
    way = preview.way
    return RestoreRequest(
        cwd=cwd,
        level=way.level,
        target=way.target.id,
        base=way.base.id if way.base else "",
        run=way.run,
        expects=preview.now,
        over=over,
        files_only=manner.files_only,
    )


def _told(look: PreviewReply) -> dict[str, object]:
    told: dict[str, object] = msgspec.to_builtins(look)
    preview = told.pop("preview")
    assert isinstance(preview, dict)
    return {**preview, **told}
