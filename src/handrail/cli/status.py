"""`handrail status`: which runs there are, and how they are."""

from collections.abc import Callable, Iterator
from time import time
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.cli import options
from handrail.cli.glance import Glance, load_glance
from handrail.cli.moments import span
from handrail.cli.render import Screen, clip, columns, count, pad, wrap
from handrail.cli.runs import NOTHING_YET, KnownRun, Runs, find_home, open_log

if TYPE_CHECKING:
    from handrail.server.home import Home
    from handrail.store.port import Store

_QUIET = 30 * 60
_LATELY = 60 * 60
_FORGOTTEN = 24 * 60 * 60
"""A session that was killed never says that it ended: after a day it is not shown any more."""
_MAX_NAME = 18
_ROOMY = 64
_MARKS = {
    "stopped": ("■", "red"),
    "working": ("●", "green"),
    "waiting": ("◆", "yellow"),
    "quiet": ("◌", "yellow"),
    "ended": ("○", "dim"),
}
_LABELS = "actions changed stopped"
_AGE = 8

Health = dict[str, object]


class Row(msgspec.Struct, frozen=True):
    """One run, as of now."""

    run: KnownRun
    glance: Glance
    quiet: float
    """Seconds since anything was heard of it."""
    incident: str = ""
    """The one that it is stopped for, until a person decides."""

    @property
    def state(self) -> str:
        """stopped, working, waiting, quiet or ended."""
        if self.incident:
            return "stopped"
        phase = self.glance.phase
        return "quiet" if phase == "working" and self.quiet > _QUIET else phase

    @property
    def shown_state(self) -> str:
        """The state, and for how long if that is long."""
        if self.quiet <= _QUIET:
            return self.state
        ago = " ago" if self.state in ("ended", "stopped") else ""
        return f"{self.state} {span(self.quiet)}{ago}"

    def decided(self, *decisions: str) -> int:
        """How many actions got one of these decisions."""
        return sum(self.glance.usage.decided.get(decision, 0) for decision in decisions)


@click.command()
@click.option("--short", is_flag=True, help="One line, for a shell prompt.")
@click.option("--all", "show_all", is_flag=True, help="All runs, also those of long ago.")
@options.json_option("Print JSON.")
@options.color_option
def command(short: bool, show_all: bool, as_json: bool) -> int:
    """Show the runs that are under way or ended in the last hour.

    \b
      ● working    ◆ waits for your next prompt    ○ ended
      ◌ quiet: nothing was heard of it for more than half an hour
      ■ stopped in an emergency: you decide how it goes on

    Below a run stands the worst that is found in it now, if anything is. "Changed"
    counts actions that ran in a safer form, "stopped" those that did not run. Runs
    of which nothing was heard for a day are left out, unless --all is given.
    Everything is read from the log: no daemon has to run.

    \b
    Examples:
      handrail status
      handrail status --all --json
      PS1='$(handrail status --short) $ '
    """
    home = find_home()
    with open_log(home) as store:
        runs = Runs(store)
        rows = find_rows(runs, store, time(), show_all=show_all, is_open=_open_in(home))
    running = _daemon_runs(home)
    if short:
        say_short(options.screen(), rows, running=running)
        return 0
    from handrail.server.client import health, port_answers

    daemon = health(home)
    trouble = trouble_with(daemon, running=running, taken=not running and port_answers(home))
    if as_json:
        _print_json(rows, daemon, trouble)
    else:
        older = len(runs) - len(rows)
        report(options.screen(), rows, daemon, trouble=trouble, older=older)
    return 0


def _daemon_runs(home: "Home") -> bool:
    """Whether a daemon runs: quicker than to ask it."""
    from handrail.server.lock import holder

    return holder(home) is not None


def _open_in(home: "Home") -> Callable[[str], bool]:
    """Tells of an incident whether nobody has decided about it yet."""

    def is_open(incident: str) -> bool:
        from handrail.intervene.incidents import IncidentError, Incidents

        try:
            return Incidents(home.incidents).read(incident).resolution is None
        except IncidentError:
            return True

    return is_open


def find_rows(
    runs: Runs,
    store: "Store",
    now: float,
    *,
    show_all: bool,
    is_open: Callable[[str], bool] = lambda incident: True,
) -> list[Row]:
    """The runs that matter now: those under way first, the last changed one at the top."""
    rows: list[Row] = []
    for run in runs if show_all else runs.changed_since(now - _FORGOTTEN):
        glance = load_glance(store, run.id)
        stopped = glance.course.stopped
        incident = stopped if stopped and is_open(stopped) else ""
        row = Row(run, glance, max(now - glance.changed, 0.0), incident)
        if show_all or row.state != "ended" or row.quiet <= _LATELY:
            rows.append(row)
    return sorted(rows, key=lambda row: row.state == "ended")


def report(
    screen: Screen, rows: list[Row], daemon: Health | None, *, trouble: str, older: int
) -> None:
    """Print the head line, the daemon's troubles, and a line for each run."""
    head = count(len(rows), "run") if rows else "No runs now."
    if stopped := sum(bool(row.incident) for row in rows):
        head += f" · {stopped} {'needs' if stopped == 1 else 'need'} you"
    if daemon is not None and not trouble:
        memory = daemon.get("memory_mb")
        size = f", {memory:.0f} MB" if isinstance(memory, int | float) and memory else ""
        head = f"{head} · daemon running{size}" if rows else f"{head} The daemon runs{size}."
    labels = _LABELS if rows and screen.width >= _ROOMY else ""
    gap = screen.width - columns(head) - len(labels) - _AGE - 1
    screen.say(f" {head}{screen.paint(' ' * max(gap, 1) + labels, 'dim')}".rstrip())
    if trouble:
        _loud(screen, trouble, " ")
    if rows:
        _table(screen, rows)
    elif not older:
        for line in wrap(NOTHING_YET, screen.width - 1):
            screen.say(f" {line}")
    if older:
        more = f"{count(older, 'older run')}: handrail status --all"
        screen.say(screen.paint(f" {more}", "dim"))


def trouble_with(daemon: Health | None, *, running: bool, taken: bool) -> str:
    """What is wrong with the daemon. `taken`: another program answers on its port."""
    if daemon is not None:
        problem = f"The daemon has a problem: {daemon.get('problem')}; see handrail doctor"
        return "" if daemon.get("ok") else problem
    if running:
        return "The daemon does not answer. Start it anew: handrail serve --restart"
    if taken:
        return (
            "The daemon is not running, and ANOTHER PROGRAM answers on its port: open sessions "
            "may not be supervised. handrail doctor says what to do."
        )
    return (
        "The daemon is not running. The next session or prompt starts it; until then "
        "agents can only read. Start it now: handrail serve --background"
    )


def _loud(screen: Screen, text: str, indent: str) -> None:
    for at, line in enumerate(wrap(text, screen.width - len(indent) - 2)):
        screen.say(screen.paint(f"{indent}{'  ' if at else '! '}{line}", "red"))


def _table(screen: Screen, rows: list[Row]) -> None:
    names = [clip(row.run.name, _MAX_NAME) for row in rows]
    name_width = max(map(columns, names))
    state_width = max(len(row.shown_state) for row in rows)
    roomy = screen.width >= _ROOMY
    for row, name in zip(rows, names, strict=True):
        mark, style = _MARKS[row.state]
        left = f" {screen.paint(mark, style)} {pad(name, name_width)}  "
        state = screen.paint(pad(row.shown_state, state_width), style)
        tail = _numbers(row) if roomy else f"{row.glance.step:>7}"
        room = screen.width - name_width - state_width - len(tail) - 7
        goal = pad(clip(_goal(row.glance), room), room) if room > 0 else ""
        screen.say(f"{left}{state}  {goal}{tail}".rstrip())
        for text in _details(row):
            says = clip(text, screen.width - 3)
            screen.say(f"   {screen.paint(says, 'red' if row.incident else 'yellow')}")
        for text in _warnings(row):
            _loud(screen, text, "   ")


def _numbers(row: Row) -> str:
    glance = row.glance
    until = glance.changed if glance.phase == "ended" else glance.changed + row.quiet
    numbers = (glance.step, row.decided("modify"), row.decided("block"))
    cells = "".join(f"{number or '·':>8}" for number in numbers)
    return f"{cells}{span(until - glance.started):>{_AGE}}"


def _goal(glance: Glance) -> str:
    return next((line.strip() for line in glance.first_prompt.splitlines() if line.strip()), "")


def _details(row: Row) -> Iterator[str]:
    """What is wrong with the run now, and what to do about it."""
    found = row.glance.trouble
    if found and row.state != "ended":
        says = found.says.partition(" (steps")[0]
        yield f"◆ {found.kind.replace('_', ' ')}, {found.severity}: {says}"
    if row.incident:
        yield f"→ handrail incident show {row.incident}"


def _warnings(row: Row) -> Iterator[str]:
    usage, name = row.glance.usage, row.run.name
    if usage.breaches:
        yield f"{count(usage.breaches, 'action')} ran that should not have: handrail log {name}"
    if usage.faults:
        yield f"Handrail failed {count(usage.faults, 'time')}: handrail log {name}"
    if row.glance.problem:
        yield f"events cannot be read: {row.glance.problem}"


def say_short(screen: Screen, rows: list[Row], *, running: bool) -> None:
    """The line for a shell prompt."""
    parts: list[str] = []
    for state, (mark, style) in _MARKS.items():
        number = sum(row.state == state for row in rows)
        if number and state != "ended":
            words = "needs you" if state == "stopped" else state
            parts.append(screen.paint(f"{mark} {number} {words}", style))
    stopped = sum(row.decided("block") for row in rows if row.state != "ended")
    if stopped:
        parts.append(screen.paint(f"✗ {stopped} stopped", "red"))
    if parts and not running:
        parts.append(screen.paint("! no daemon", "red"))
    screen.say("  ".join(parts) or "○ no runs")


def _print_json(rows: list[Row], daemon: Health | None, trouble: str) -> None:
    from handrail.cli.jsonline import json_line

    runs = [
        {
            "run": row.run.id,
            "name": row.run.name,
            "host": row.glance.host,
            "cwd": row.glance.cwd,
            "state": row.state,
            "quiet_seconds": round(row.quiet, 1),
            "started": row.glance.started,
            "changed": row.glance.changed,
            "goal": _goal(row.glance),
            "actions": row.glance.step,
            "decisions": row.glance.usage.decided,
            "overruled": row.glance.usage.overruled,
            "breaches": row.glance.usage.breaches,
            "faults": row.glance.usage.faults,
            "agents": len(row.glance.agents),
            "finding": row.glance.trouble if row.state != "ended" else None,
            "incident": row.incident,
            "problem": row.glance.problem,
        }
        for row in rows
    ]
    click.echo(json_line({"daemon": daemon, "problem": trouble, "runs": runs}))
