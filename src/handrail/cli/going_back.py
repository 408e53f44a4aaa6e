"""What undo, redo and rollback have in common: look, ask, have it done, say how it went."""

import sys
from collections.abc import Iterator, Mapping
from shlex import quote
from time import time

import click
import msgspec

from handrail.checkpoint import Conversation, Level, Preview, Way
from handrail.cli import options
from handrail.cli.asking import ask
from handrail.cli.jsonline import json_line
from handrail.cli.moments import span
from handrail.cli.render import Screen, count, visible, wrap
from handrail.cli.restore_screen import changes, show
from handrail.cli.runs import find_home
from handrail.cli.saved import run_names
from handrail.server.restore_wire import Back, Look, ToRestore, ToUndo

EXIT_NOT_ALL = 1
EXIT_NOT_CONFIRMED = 2
_SHORT = 8
_RESUME = {
    "claude": "claude --resume {session} --fork-session",
    "claude at": "claude --resume {session} --fork-session --resume-session-at {message}",
}
"""By host, the command that takes up a conversation: at its end, or at a message of it."""


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """How it is asked for."""

    verb: str
    """Of what is done: Undo."""
    done: str
    """Of what was done: undone."""
    command: str
    """As it was typed, to be typed again with --yes."""
    over: bool = False
    files_only: bool = False
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False


def go_back(wanted: ToUndo, manner: Manner) -> int:
    """Show what would be done, and do it if a person says so; the exit code."""
    home = find_home()
    answer = ask(home, "/restores/preview", wanted, "looking at what has changed")
    look = msgspec.convert(answer, Look)
    screen = options.screen()
    if not manner.as_json:
        _picture(screen, look, manner)
    conflicts = sum(each.conflict for each in look.preview.spared)
    if not look.preview.items and not (manner.over and conflicts):
        return _nothing(screen, look, manner, conflicts)
    if manner.dry_run or not _confirmed(screen, look, manner):
        if manner.as_json:
            click.echo(json_line({"done": False, **_told(look)}))
        return 0 if manner.dry_run else EXIT_NOT_CONFIRMED
    seen = _seen(wanted.cwd, look.preview, manner)
    back = msgspec.convert(ask(home, "/restores", seen, "putting files back"), Back)
    following = take_up(back.conversation, look.preview.way.target.work_tree)
    if manner.as_json:
        done = {"done": not back.problem, **_told(look), **msgspec.to_builtins(back)}
        click.echo(json_line({**done, "next": following}))
    else:
        _tell(screen, look.preview.way, back, manner, following)
    left = any(each.conflict for each in back.spared)
    return EXIT_NOT_ALL if back.problem or left else 0


def _seen(cwd: str, preview: Preview, manner: Manner) -> ToRestore:
    way = preview.way
    return ToRestore(
        cwd=cwd,
        level=way.level,
        target=way.target.id,
        base=way.base.id if way.base else "",
        run=way.run,
        expects=preview.now,
        over=manner.over,
        files_only=manner.files_only,
    )


def _picture(screen: Screen, look: Look, manner: Manner) -> None:
    preview, way = look.preview, look.preview.way
    names = run_names(find_home(), (way.run, *look.working, *look.since))
    if look.interrupted:
        _say(screen, look.interrupted, "red")
        screen.say()
    head = f"{manner.verb} {_what(way, names)}, {span(time() - _when(way))} ago"
    _say(screen, head, "bold")
    screen.say()
    if preview.items or preview.spared:
        show(screen, preview, over=manner.over)
        screen.say()
    for text, style in _remarks(look, manner, names):
        _say(screen, text, style)


def _what(way: Way, names: Mapping[str, str]) -> str:
    if way.level is not Level.CHECKPOINT:
        return way.says.replace(way.run, names.get(way.run, way.run)) if way.run else way.says
    target = way.target
    return f"to {target.id} {target.name}".rstrip()


def _when(way: Way) -> float:
    record = way.base if way.level is Level.REDO and way.base else way.target
    return record.created_at.timestamp()


def _remarks(look: Look, manner: Manner, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What a person should know before, each with its style."""
    preview = look.preview
    target = preview.way.target
    if look.since:
        each = (f"{count(n, 'action')} of run {names[run]}" for run, n in look.since.items())
        yield f"Lost: what was done to these files since, in {', '.join(each)}.", "yellow"
    if target.head and preview.head and target.head != preview.head:
        then, now = target.head[:_SHORT], preview.head[:_SHORT]
        stays = f"Your branch stays at {now}; it was at {then} then."
        yield f"{stays} To move it too, afterwards: git reset --soft {then}", "yellow"
    if not target.coverage.complete:
        yield f"{target.id} is partial: what is not in it is left as it is.", "yellow"
    for run in look.working:
        waits = "its next change waits until this is done"
        yield f"Run {names[run]} is working: {waits}.", "yellow"
    if not manner.over and any(each.conflict for each in preview.spared):
        yield "To overwrite what others have changed since: --over", "dim"


def _nothing(screen: Screen, look: Look, manner: Manner, conflicts: int) -> int:
    if manner.as_json:
        click.echo(json_line({"done": False, **_told(look)}))
    elif conflicts:
        _say(screen, "Nothing is left to do without overwriting what others have changed.", "")
    else:
        _say(screen, "Nothing to do: the files are as they were then.", "")
    return EXIT_NOT_ALL if conflicts else 0


def _confirmed(screen: Screen, look: Look, manner: Manner) -> bool:
    if manner.yes:
        return True
    if manner.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        if not manner.as_json:
            screen.say(f" {changes(look.preview, over=manner.over)}. Nothing was changed yet.")
        sys.stdout.flush()
        click.echo(f"handrail: nobody is here to confirm it: {manner.command} --yes", err=True)
        return False
    hint = screen.paint(f"(afterwards: {_take_back(look.preview.way)})", "dim")
    counted = changes(look.preview, over=manner.over)
    sys.stdout.write(f" {counted}. {manner.verb} this? [y/N]   {hint} ")
    sys.stdout.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    screen.say(" Nothing was changed.")
    return False


def _tell(screen: Screen, way: Way, back: Back, manner: Manner, following: str) -> None:
    if back.problem:
        _say(screen, f"✗ NOT ALL FILES ARE AS THEY WERE: {back.problem}", "red")
        if back.undo:
            _say(screen, f"How they were before this: handrail rollback {back.undo}", "")
        return
    mark = screen.paint("✓", "green")
    did = f"{count(len(back.items), 'change')} {manner.done}, and compared with {way.target.id}."
    screen.say(f" {mark} {did}")
    left = sum(each.conflict for each in back.spared)
    if left:
        _say(screen, f"{count(left, 'file')} left alone: changed since by others.", "yellow")
    screen.say(f"   {screen.paint(f'Take it back: {_take_back(way)}', 'dim')}")
    if following:
        screen.say(" Take up the conversation where it was then:")
        sys.stdout.write(f"   {visible(following)}\n")  # in one piece, to be copied


def _take_back(way: Way) -> str:
    """The command that takes this back again."""
    if way.level is Level.REDO and way.base is not None:
        return f"handrail rollback {way.base.id}"
    return "handrail redo"


def take_up(conversation: Conversation | None, folder: str) -> str:
    """The command line that goes on with a conversation at a checkpoint; empty: none."""
    if conversation is None:
        return ""
    at = " at" if conversation.message else ""
    template = _RESUME.get(f"{conversation.host}{at}", "")
    if not template:
        return ""
    session, message = quote(conversation.session), quote(conversation.message)
    return f"cd {quote(folder)} && {template.format(session=session, message=message)}"


def _told(look: Look) -> dict[str, object]:
    told: dict[str, object] = msgspec.to_builtins(look)
    preview = told.pop("preview")
    assert isinstance(preview, dict)
    return {**preview, **told}


def _say(screen: Screen, text: str, style: str) -> None:
    for line in wrap(text, screen.width - 1):
        screen.say(f" {screen.paint(line, style)}")
