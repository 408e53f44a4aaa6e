"""The rollback of a fleet, and its redo: preview, ask, roll back, report."""

import sys
from collections.abc import Iterator, Sequence

import click
import msgspec

from handrail.cli import options
from handrail.cli.daemon_request import ask_daemon
from handrail.cli.history.runs import find_home
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, visible
from handrail.cli.restores.restore_flow import EXIT_NOT_ALL, EXIT_NOT_CONFIRMED
from handrail.cli.restores.wording import RestoreManner, Styled
from handrail.fleet.rollback.preview import FleetRollbackPreview
from handrail.fleet.rollback.rolling_back import RollbackResult
from handrail.server.fleet.rollback_messages import PREVIEW, ROLL_BACK, FleetRollbackRequest
from handrail.words.amounts import count
from handrail.words.fleet_rollbacks import rollback_parts

_SHOWN = 10
_BY = "a person"


def roll_fleet_back(wanted: FleetRollbackRequest, manner: RestoreManner) -> int:
    """Preview the rollback of a fleet, ask, do it, and return the exit code."""
    home, screen = find_home(), options.screen()
    wanted = msgspec.structs.replace(wanted, by=_BY, over=manner.over)
    answer = ask_daemon(home, PREVIEW, wanted, "looking for changes")
    look = msgspec.convert(answer, FleetRollbackPreview)
    if not manner.as_json:
        _show(screen, preview_lines(look, wanted))
    if manner.dry_run or (look.is_empty and not look.spared):
        _leave(screen, look, manner)
        return 0
    if not manner.yes:
        said = _ask(look, manner, keep=wanted.keep)
        if said == "no":
            _leave(screen, look, manner)
            return _not_confirmed(manner)
        wanted = msgspec.structs.replace(wanted, keep=wanted.keep or said == "keep")
    done = msgspec.convert(
        ask_daemon(home, ROLL_BACK, wanted, "rolling the fleet back"), RollbackResult
    )
    if manner.as_json:
        told = {**msgspec.to_builtins(look), **msgspec.to_builtins(done)}
        print_json({"done": not done.problems, **told})
    else:
        _show(screen, result_lines(done, manner))
    return EXIT_NOT_ALL if done.problems or done.merges_stay or done.merges_missing else 0


def preview_lines(look: FleetRollbackPreview, wanted: FleetRollbackRequest) -> Iterator[Styled]:
    """Yield what a rollback would change and lose."""
    verb = "Redo: bring back" if wanted.redo else "Roll the fleet back to"
    yield f"{verb} {look.name}", "bold"
    for part in rollback_parts(look, keep=wanted.keep):
        yield from _list(part.what, part.lines, part.style)


def result_lines(done: RollbackResult, manner: RestoreManner) -> Iterator[Styled]:
    """Yield what a rollback did."""
    fleet = f"Fleet {manner.done}: {done.name}"
    yield (fleet, "green") if not done.problems else (f"{fleet}, with problems", "yellow")
    yield from _list("agents stopped", done.stopped)
    stays = [f"{task}: {why}" for task, why in done.merges_stay.items()]
    yield from _list("merges that stay, with their tasks", stays, "yellow")
    missing = [f"{task}: {why}" for task, why in done.merges_missing.items()]
    yield from _list("merges that could not be made again", missing, "yellow")
    yield from _list("files left alone", done.spared)
    yield from _list("workspaces removed", done.workspaces.removed)
    yield from _list("workspaces kept", done.workspaces.kept)
    yield from _list("problems", done.problems, "red")
    again = f"handrail rollback {done.before}" if manner.verb == "Redo" else "handrail redo"
    yield f"Take it back: {again}", "dim"


def _list(what: str, items: Sequence[str], style: str = "") -> Iterator[Styled]:
    if not items:
        return
    yield f"  {what} ({len(items)}):", style
    for each in items[:_SHOWN]:
        yield f"    {visible(each)}", ""
    if len(items) > _SHOWN:
        yield f"    … and {len(items) - _SHOWN:,} more (--json lists all)", "dim"


def _show(screen: TerminalOutput, lines: Iterator[Styled]) -> None:
    for text, style in lines:
        screen.paragraph(text.lstrip(), style, indent=1 + len(text) - len(text.lstrip()))


def _ask(look: FleetRollbackPreview, manner: RestoreManner, *, keep: bool) -> str:
    """Return `yes`, `keep` (yes, but leave the workspaces) or `no`."""
    if manner.as_json or not _is_terminal():
        return "no"
    may_keep = bool(look.workspaces) and not keep
    choices = "[y/N/k = yes, and keep the workspaces]" if may_keep else "[y/N]"
    sys.stdout.write(f" {manner.verb} {count(len(look.tasks), 'task')} and all files? {choices} ")
    sys.stdout.flush()
    answers = {"y": "yes", "yes": "yes"} | ({"k": "keep", "keep": "keep"} if may_keep else {})
    return answers.get(sys.stdin.readline().strip().lower(), "no")


def _leave(screen: TerminalOutput, look: FleetRollbackPreview, manner: RestoreManner) -> None:
    if manner.as_json:
        print_json({"done": False, **msgspec.to_builtins(look)})
    elif look.is_empty:
        screen.paragraph("Nothing to do: the fleet is as it was then.")
    else:
        screen.paragraph("Nothing was changed.")


def _not_confirmed(manner: RestoreManner) -> int:
    sys.stdout.flush()
    if manner.as_json or not _is_terminal():
        click.echo(f"handrail: this needs a confirmation: {manner.command} --yes", err=True)
    return EXIT_NOT_CONFIRMED


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()
