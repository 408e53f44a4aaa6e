"""`handrail status`: show the runs and their state."""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from time import time
from typing import TYPE_CHECKING

import click
import msgspec

from handrail import __version__
from handrail.cli import options
from handrail.cli.history.runs import (
    KnownRuns,
    find_home,
    incident_is_open,
    is_installed,
    nothing_yet,
    read_log,
)
from handrail.cli.history.status_json import row_json
from handrail.cli.history.status_row import StatusRow, control_lines, find_rows, loop_line
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad
from handrail.server.home import Home
from handrail.store.port import Store
from handrail.words.amounts import count
from handrail.words.run_signs import NEEDS_YOU, OVER, RUN_SIGNS, answer_command
from handrail.words.times import date_and_time, duration_in_words

_MAX_NAME = 18
_ROOMY = 64
_LABELS = "actions changed stopped"
_AGE = 8
_MAX_NOTICES = 5
_FLEETS = "fleet:"
"""The prefix of all fleets' topics: the rooms of the fleet take long to import."""

if TYPE_CHECKING:
    from handrail.cli.fleet.fleet_status import FleetStatus
    from handrail.server.integrity.notices import Notice

Health = dict[str, object]


@click.command()
@click.option("--short", is_flag=True, help="Print one line, for a shell prompt.")
@click.option("--all", "show_all", is_flag=True, help="Include old runs.")
@click.option("--seen", is_flag=True, help="Mark what Handrail noticed about itself as seen.")
@options.json_option("Print JSON.")
@options.color_option
def command(short: bool, show_all: bool, seen: bool, as_json: bool) -> int:
    """Show active runs and those that ended in the last hour.

    \b
      ▲ needs you: an emergency stop, or a question; the lines below tell
      ● working, or watching    ◇ waiting for your next prompt
      ○ ended, done or cancelled
      ‖ paused or frozen; the lines below show by whom, why, and what waits
      ■ stopped by a person
      ‖ interrupted: its `handrail run` was killed; the line below resumes it
      ◌ quiet: no event for more than half an hour

    The lines below a run show its worst current finding. If Handrail drives the run,
    they also show iteration, model and cost. "Changed" counts actions that ran in a
    safer form, "stopped" counts actions that did not run. Handrail leaves out runs
    without an event for a day, unless you add --all. It reads the log and needs no
    daemon.

    If one of Handrail's own parts was changed, such as its hooks in the settings, the
    lines at the top say so until you run `handrail status --seen`.

    Below the runs stand the tasks of each repository that need you, and those that
    agents work on: slot, attempt, iteration, branch and workspace.

    \b
    Examples:
      handrail status
      handrail status --all --json
      PS1='$(handrail status --short) $ '
    """
    from handrail.server.integrity.notices import mark_seen, unseen_notices
    from handrail.server.lock import is_running

    if seen:
        options.by_a_person()
    home = find_home()
    notices = unseen_notices(home)
    with read_log(home) as store:
        runs = KnownRuns(store)
        is_open = partial(incident_is_open, home)
        known = _fleets(store, home)
        rows = find_rows(runs, store, time(), show_all=show_all, is_open=is_open)
    if known:
        rows = name_tasks(rows, known)
    fleets = [each for each in known if each.is_shown]
    running = is_running(home)  # quicker than to ask the daemon
    if short:
        show_short(options.screen(), rows, running=running, noticed=len(notices), fleets=fleets)
        return 0
    from handrail.control.client import user_name
    from handrail.server.http.socket_client import daemon_health, port_answers, why_down

    daemon = daemon_health(home)
    if fleets and daemon is not None:
        from handrail.cli.fleet.fleet_status import ask_daemon

        fleets = ask_daemon(home, fleets)
    is_used = bool(len(runs)) or is_installed(home)
    trouble = trouble_with(
        daemon,
        running=running,
        taken=not running and port_answers(home),
        is_used=is_used,
        why=why_down(home) if running and daemon is None else "",
    )
    notice = settings_notice()
    if as_json:
        _print_json(rows, daemon, trouble, notices, notice, fleets)
    else:
        show_notices(options.screen(), notices, seen=seen)
        older = len(runs) - len(rows)
        advice = "" if rows or older else nothing_yet(home).removeprefix("No runs yet. ")
        screen = options.screen()
        report(
            screen,
            rows,
            daemon,
            trouble=trouble,
            older=older,
            advice=advice,
            me=user_name(),
        )
        if fleets:
            from handrail.cli.fleet.fleet_status import show_fleets

            show_fleets(screen, fleets, iterations_of(rows))
        if notice:
            screen.paragraph(notice, mark=screen.paint("!", "yellow"))
    if seen:
        mark_seen(home, notices)
    return 0


def _fleets(store: Store, home: Home) -> "list[FleetStatus]":
    """Return all fleets; most people have none, and pay nothing."""
    if not store.topics(_FLEETS):
        return []
    from handrail.cli.fleet.fleet_status import all_fleets

    return all_fleets(store, home, time())


def name_tasks(rows: list[StatusRow], fleets: "Sequence[FleetStatus]") -> list[StatusRow]:
    """Give each run of an agent the task that it is for, and say whether that goes on without it.

    The runs that still matter come first.
    """
    from handrail.cli.fleet.fleet_status import RunTasks

    tasks = RunTasks(fleets)

    def named(row: StatusRow) -> StatusRow:
        task = tasks.of(row.run.id, row.facts)
        issue = row.facts.loop.issue if row.facts.loop else ""
        return msgspec.structs.replace(
            row,
            task=task or issue,
            is_past=bool(issue) and tasks.runs.is_past(row.run.id, issue),
            is_answered=bool(issue) and tasks.runs.asks_nobody(row.run.id, issue),
        )

    return sorted(map(named, rows), key=lambda row: row.is_over)


def iterations_of(rows: list[StatusRow]) -> dict[str, int]:
    """Return the present iteration of each run that Handrail drives."""
    return {row.run.id: row.facts.loop.iteration for row in rows if row.facts.loop}


def show_notices(screen: TerminalOutput, notices: "Sequence[Notice]", *, seen: bool) -> None:
    """Print what was noticed about Handrail's own parts, the newest first."""
    for each in reversed(notices[-_MAX_NOTICES:]):
        incident = f" handrail incident show {each.incident}" if each.incident else ""
        text = f"{date_and_time(each.at)} {each.text}{incident}"
        screen.paragraph(text, "red", mark=screen.paint("!", "red"))
    if len(notices) > _MAX_NOTICES:
        screen.say(f"   {len(notices) - _MAX_NOTICES} older ones: handrail status --json")
    if notices and not seen:
        screen.say(screen.paint("   Once you have read this: handrail status --seen", "dim"))


def settings_notice() -> str:
    """Say that the settings of the current folder do not count as they were written."""
    try:
        folder = os.getcwd()
    except OSError:
        return ""
    if not _has_project_file(folder):  # most often; the settings take long to load
        return ""
    from handrail.config import ConfigError
    from handrail.supervise.runs.settings_trust import trusted_settings, untrusted_notice

    try:
        return untrusted_notice(trusted_settings(folder, os.environ).withheld)
    except (ConfigError, OSError):
        return ""


def _has_project_file(folder: str) -> bool:
    """Return whether there is a `handrail.yaml` here or above; it may not count."""
    parts = folder.split("/")
    folders = ("/".join(parts[:end]) for end in range(len(parts), 0, -1))
    return any(os.path.lexists(f"{each}/handrail.yaml") for each in folders)


def report(
    screen: TerminalOutput,
    rows: list[StatusRow],
    daemon: Health | None,
    *,
    trouble: str,
    older: int,
    advice: str = "",
    me: str = "",
) -> None:
    """Print a head line, problems of the daemon, and the runs.

    `advice` is shown where there has never been a run; `me` is the user's name.
    """
    head = count(len(rows), "run") if rows else "No active runs." if older else "No runs yet."
    if needing := sum(row.needs_you for row in rows):
        head += f" · {_needing(needing)}"
    if daemon is not None and not trouble:
        memory = daemon.get("memory_mb")
        size = f", {memory:.0f} MB" if isinstance(memory, int | float) and memory else ""
        head = f"{head} · daemon running{size}" if rows else f"{head} The daemon is running{size}."
    labels = _LABELS if rows and screen.width >= _ROOMY else ""
    gap = screen.width - columns(head) - len(labels) - _AGE - 1
    screen.say(f" {head}{screen.paint(' ' * max(gap, 1) + labels, 'dim')}".rstrip())
    if trouble:
        screen.paragraph(trouble, "red", mark=screen.paint("!", "red"))
    if rows:
        _table(screen, rows, me)
    elif advice:
        screen.paragraph(advice)
    if older:
        more = f"{count(older, 'older run')}: handrail status --all"
        screen.say(screen.paint(f" {more}", "dim"))


def trouble_with(
    daemon: Health | None, *, running: bool, taken: bool, is_used: bool = True, why: str = ""
) -> str:
    """Describe the problem with the daemon, or return "".

    `taken`: another program answers on its port; `is_used`: somebody could miss the daemon; `why`:
    the guardian's reason for having none.
    """
    if daemon is not None and daemon.get("version", __version__) != __version__:
        return (
            f"The daemon has version {daemon.get('version')}, but this is {__version__}. "
            "Restart it: handrail serve --restart"
        )
    if daemon is not None:
        problem = f"The daemon has a problem: {daemon.get('problem')}; see handrail doctor"
        return "" if daemon.get("ok") else problem
    if why:
        return f"The daemon does not run, so agents can only read: {why}"
    if running:
        return "The daemon does not answer. Restart it: handrail serve --restart"
    if taken:
        return (
            "The daemon is not running, and ANOTHER PROGRAM answers on its port. Open sessions "
            "may be unsupervised. See handrail doctor."
        )
    if not is_used:
        return ""
    return (
        "The daemon is not running. The next session or prompt starts it. Until then, "
        "agents can only read. Start it now: handrail serve --background"
    )


def _table(screen: TerminalOutput, rows: list[StatusRow], me: str) -> None:
    names = [clip(row.run.name, _MAX_NAME) for row in rows]
    name_width = max(map(columns, names))
    state_width = max(len(row.shown_state) for row in rows)
    roomy = screen.width >= _ROOMY
    for row, name in zip(rows, names, strict=True):
        mark, style = row.sign
        left = f" {screen.paint(mark, style)} {pad(name, name_width)}  "
        state = screen.paint(pad(row.shown_state, state_width), style)
        tail = _numbers(row) if roomy else f"{row.facts.step:>7}"
        room = screen.width - name_width - state_width - len(tail) - 7
        goal = pad(clip(row.goal, room), room) if room > 0 else ""
        screen.say(f"{left}{state}  {goal}{tail}".rstrip())
        if loop := loop_line(row):
            screen.say(f"   {screen.paint(clip(loop, screen.width - 3), 'dim')}")
        for text in control_lines(row, me):
            screen.say(f"   {screen.paint(clip(text, screen.width - 3), style)}")
        for text in _details(row):
            says = clip(text, screen.width - 3)
            screen.say(f"   {screen.paint(says, 'red' if row.needs_you else 'yellow')}")
        for text in _warnings(row):
            screen.paragraph(text, "red", indent=3, mark=screen.paint("!", "red"))


def _numbers(row: StatusRow) -> str:
    facts = row.facts
    is_over = row.is_over or facts.phase == "ended"
    until = facts.changed if is_over else facts.changed + row.quiet
    numbers = (facts.step, row.decided("modify"), row.decided("block"))
    cells = "".join(f"{number or '·':>8}" for number in numbers)
    return f"{cells}{duration_in_words(until - facts.started):>{_AGE}}"


def _details(row: StatusRow) -> Iterator[str]:
    """Describe the current problem of the run, and the next command."""
    found = row.facts.trouble
    if found and not row.is_over:
        says = found.says.partition(" (steps")[0]
        yield f"◆ {found.kind.replace('_', ' ')}, {found.severity}: {says}"
    if row.incident:
        yield f"→ handrail incident show {row.incident}"
    elif row.question:
        yield row.question
        if row.state in OVER:
            yield f"→ {answer_command(row.run.name, row.task)}"


def _warnings(row: StatusRow) -> Iterator[str]:
    usage, name = row.facts.usage, row.run.name
    if usage.breaches:
        yield f"{count(usage.breaches, 'action')} ran against a refusal: handrail log {name}"
    if usage.faults:
        yield f"Handrail failed {count(usage.faults, 'time')}: handrail log {name}"
    if row.problem:
        yield f"some events cannot be read: {row.problem}"


def _needing(number: int) -> str:
    return f"{number} {'needs' if number == 1 else 'need'} you"


def show_short(
    screen: TerminalOutput,
    rows: list[StatusRow],
    *,
    running: bool,
    noticed: int = 0,
    fleets: "Sequence[FleetStatus]" = (),
) -> None:
    """Print the line for a shell prompt."""
    parts: list[str] = []
    if noticed:
        parts.append(screen.paint(f"! {noticed} noticed", "red"))
    under_way = [row for row in rows if not row.is_over]
    if needing := sum(row.needs_you for row in rows):
        mark, style = RUN_SIGNS[NEEDS_YOU]
        parts.append(screen.paint(f"{mark} {_needing(needing)}", style))
    for state, (mark, style) in RUN_SIGNS.items():
        if number := sum(row.state == state and not row.needs_you for row in under_way):
            parts.append(screen.paint(f"{mark} {number} {state}", style))
    stopped = sum(row.decided("block") for row in under_way)
    if stopped:
        parts.append(screen.paint(f"✗ {count(stopped, 'action')} stopped", "red"))
    if fleets:
        from handrail.cli.fleet.fleet_status import short_fleets

        parts.extend(short_fleets(screen, fleets))
    if parts and not running:
        parts.append(screen.paint("! no daemon", "red"))
    screen.say("  ".join(parts) or "○ no runs")


def _print_json(
    rows: list[StatusRow],
    daemon: Health | None,
    trouble: str,
    notices: "Sequence[Notice]",
    settings: str,
    fleets: "Sequence[FleetStatus]",
) -> None:
    print_json(
        {
            "daemon": daemon,
            "problem": trouble,
            "notices": notices,
            "settings": settings,
            "runs": [row_json(row) for row in rows],
            "fleets": _fleets_json(rows, fleets),
        }
    )


def _fleets_json(rows: list[StatusRow], fleets: "Sequence[FleetStatus]") -> list[dict[str, object]]:
    if not fleets:
        return []
    from handrail.cli.fleet.fleet_status import fleet_json

    return [fleet_json(each, iterations_of(rows)) for each in fleets]
