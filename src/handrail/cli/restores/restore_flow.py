"""The common flow of undo, redo and rollback: preview, ask, restore, report."""

import sys

import click
import msgspec

from handrail.checkpoint import UndoLevel
from handrail.cli import options
from handrail.cli.daemon_request import ask_daemon
from handrail.cli.history.runs import find_home
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, wrap
from handrail.cli.restores import wording
from handrail.cli.restores.preview_lines import show_preview
from handrail.cli.restores.wording import RestoreAnswer, RestoreManner, print_wrapped
from handrail.server.files.restore_messages import (
    PreviewReply,
    RestoreReply,
    RestoreRequest,
    UndoRequest,
)
from handrail.server.files.restore_wording import with_names
from handrail.server.home import Home

EXIT_NOT_ALL = 1
EXIT_NOT_CONFIRMED = 2
_NOBODY = "this needs a confirmation: {} --yes"


class _TerminalDialog:
    """Shows a restore to a person and asks."""

    def __init__(self, screen: TerminalOutput, manner: RestoreManner) -> None:
        self._screen = screen
        self._manner = manner

    def show(self, look: PreviewReply) -> None:
        """Show what would change."""
        screen, manner = self._screen, self._manner
        names = wording.names_in(look)
        look = with_names(look, names)
        if look.interrupted:
            for text, style in wording.half_done_lines(look.interrupted):
                print_wrapped(screen, text, style)
            screen.say()
        print_wrapped(screen, wording.title(look.preview.way, manner), "bold")
        screen.say()
        notes = list(wording.remarks(look, manner, names))
        if look.preview.items or look.preview.spared:
            below = sum(len(wrap(text, screen.width - 1)) for text, _ in notes)
            show_preview(screen, look.preview, over=manner.over, below=below)
            screen.say()
        if lines := list(wording.repository_lines(look)):
            for text, style in lines:
                print_wrapped(screen, text, style)
            screen.say()
        for text, style in notes:
            print_wrapped(screen, text, style)

    def agrees(self, look: PreviewReply) -> RestoreAnswer:
        """Ask the user."""
        if not _is_terminal():
            return RestoreAnswer.NO
        answers = wording.answers_to(look, self._manner)
        sys.stdout.write(f" {wording.question(self._screen, look, self._manner)} ")
        sys.stdout.flush()
        return answers.get(sys.stdin.readline().strip().lower(), RestoreAnswer.NO)

    def leave(self, look: PreviewReply) -> None:
        """Tell that nothing changed."""
        preview = look.preview
        changes = bool(preview.items or wording.git_changes(look))
        if wording.is_blocked(look, self._manner):
            for text, style in wording.blocked(look, self._manner):
                print_wrapped(self._screen, text, style)
        elif changes and (self._manner.dry_run or not _is_terminal()):
            counted = wording.counted_changes(look, self._manner)
            print_wrapped(self._screen, f"{counted}. Nothing was changed.", "")
        elif changes or any(each.conflict for each in preview.spared):
            print_wrapped(self._screen, "Nothing was changed.", "")
        else:
            files = "all other files" if preview.spared else "the files"
            print_wrapped(self._screen, f"Nothing to do: {files} already match.", "")

    def tell(self, look: PreviewReply, back: RestoreReply, following: str) -> None:
        """Report the result."""
        if look.preview.items or look.preview.spared or back.problem or back.git:
            for text, style in wording.result(look.preview.way, back, self._manner):
                print_wrapped(self._screen, text, style)
        else:
            self.leave(look)
        if following:
            print_wrapped(self._screen, "Resume the conversation at this point:", "")
            self._screen.say(f"   {following}")  # on one line, for copying


class _JsonDialog:
    """Prints one JSON object for a program."""

    def show(self, look: PreviewReply) -> None:
        """Print nothing yet."""

    def agrees(self, look: PreviewReply) -> RestoreAnswer:
        """A program has to add --yes."""
        return RestoreAnswer.NO

    def leave(self, look: PreviewReply) -> None:
        """Tell that nothing changed."""
        print_json({"done": False, **_preview_json(look)})

    def tell(self, look: PreviewReply, back: RestoreReply, following: str) -> None:
        """Report the result."""
        done = {"done": not back.problem, **_preview_json(look), **msgspec.to_builtins(back)}
        print_json({**done, "next": following})


def restore_files(wanted: UndoRequest, manner: RestoreManner) -> int:
    """Preview a restore, ask, do it, and return the exit code."""
    home = find_home()
    dialog = _JsonDialog() if manner.as_json else _TerminalDialog(options.screen(), manner)
    look = _preview(home, wanted)
    dialog.show(look)
    if not manner.dry_run and wording.is_blocked(look, manner):
        dialog.leave(look)
        return EXIT_NOT_ALL
    left = any(each.conflict for each in look.preview.spared)
    has_git = look.git is not None and not look.git.is_empty
    is_done = not (look.preview.items or left or has_git)
    if manner.dry_run or (is_done and not _goes_back(wanted, look, manner)):
        dialog.leave(look)
        return 0
    over = manner.over
    if not manner.yes and not is_done:
        says = dialog.agrees(look)
        if says is RestoreAnswer.NO:
            dialog.leave(look)
            return _not_confirmed(manner)
        over = over or says is RestoreAnswer.OVER
    if left and not look.preview.items and not over and not has_git:
        dialog.leave(look)
        return EXIT_NOT_ALL
    seen = _seen(wanted.cwd, look, manner, over=over)
    back = msgspec.convert(ask_daemon(home, "/restores", seen, "restoring files"), RestoreReply)
    dialog.tell(look, back, wording.resume_command(back.conversation, look.preview.way.target))
    left = any(each.conflict or each.unwritable for each in back.spared)
    return EXIT_NOT_ALL if back.problem or left else 0


def _preview(home: Home, wanted: UndoRequest) -> PreviewReply:
    """Ask what would change; an error names runs as `handrail status` does."""
    try:
        answer = ask_daemon(home, "/restores/preview", wanted, "looking for changes")
    except click.ClickException as error:
        raise click.ClickException(wording.with_run_names(error.message)) from None
    return msgspec.convert(answer, PreviewReply)


def _goes_back(wanted: UndoRequest, look: PreviewReply, manner: RestoreManner) -> bool:
    """Return whether the run goes back too, even if no file changed."""
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


def _seen(cwd: str, look: PreviewReply, manner: RestoreManner, *, over: bool) -> RestoreRequest:
    preview = look.preview
    way = preview.way
    return RestoreRequest(
        cwd=cwd,
        level=way.level,
        target=way.target.id,
        base=way.base.id if way.base else "",
        run=way.run,
        expects=preview.now,
        over=over,
        whole=manner.whole,
        files_only=manner.files_only,
        git=look.git_digest,
    )


def _preview_json(look: PreviewReply) -> dict[str, object]:
    told: dict[str, object] = msgspec.to_builtins(look)
    preview = told.pop("preview")
    assert isinstance(preview, dict)
    return {**preview, **told}
