"""`handrail log`: show what happened in a run, one line per action."""

import re
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from time import time
from typing import TYPE_CHECKING, NamedTuple

import click

from handrail.cli import freeze_loaded_objects, options
from handrail.cli.history.event_filter import EventFilter
from handrail.cli.history.joined_events import EventJoiner, JoinedEntry
from handrail.cli.history.log_reader import LogReader, PagedLog, follow_log, wait_a_moment
from handrail.cli.history.runs import LAST, KnownRun, KnownRuns, find_home, nothing_yet, read_log
from handrail.cli.history.since_option import read_since
from handrail.cli.history.timeline_lines import entry_lines, sentence_lines
from handrail.cli.output.json_line import printable_json, to_json
from handrail.cli.output.terminal import TerminalOutput, columns, visible
from handrail.model.event import Event, FaultNoted
from handrail.model.ordinal import Decision
from handrail.store.decoding import decode_or_fault
from handrail.store.port import Store, StoredEntry
from handrail.supervise.log.topics import RUNS, run_of
from handrail.words.times import day

if TYPE_CHECKING:
    from handrail.cli.history.fleet_story import FleetStory, LoggedTask

_PATIENCE = 1.0
"""Seconds that --follow waits for an action to end before it shows it as running."""
_PAUSE = 0.25
_FLEETS = "fleet:"
"""The prefix of the topics of fleets; `state_loading` has it, too, but takes long to load."""
TAIL = 20
"""The entries that --follow begins with."""
_DECISIONS = frozenset(decision.value for decision in Decision)


@click.command()
@click.argument("name", default=LAST, metavar="[RUN]")
@click.option("-f", "--follow", "follows", is_flag=True, help="Keep printing as the run continues.")
@click.option("--all-runs", is_flag=True, help="Show all runs, in the order of time.")
@click.option("--decision", metavar="LIST", help="Only these decisions: allow,warn,modify,block.")
@click.option("--tool", metavar="LIST", help="Only actions of these tools: Bash,Edit.")
@click.option("--since", metavar="WHEN", help="Only later events: 10m, 2h, 3d, 2026-11-15.")
@click.option(
    "--grep", "pattern", metavar="REGEX", help="Only matching commands, reasons, prompts."
)
@click.option("--findings", is_flag=True, help="Only findings and interventions.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Only the last N entries. Default with --follow: {TAIL}.",
)
@options.json_option("Print one JSON object per event.")
@options.color_option
def command(
    name: str,
    follows: bool,
    all_runs: bool,
    decision: str | None,
    tool: str | None,
    since: str | None,
    pattern: str | None,
    findings: bool,
    limit: int | None,
    as_json: bool,
) -> int:
    """Show what happened in a run, one line per action, newest last.

    \b
      ✓ ran    ! ran, with a warning    ~ ran in a safer form    ✗ stopped
      – ran and failed
      ◆ finding    ↳ intervention    ■ the run was stopped
      ‖ held until the run continues

    RUN is a name from `handrail status` (shop-3f2a), a project (its last run), the
    start of a session id, or `last`, the default. The number before an action is its
    step, for `handrail explain RUN STEP`. A letter after it names a sub-agent.

    The run of a fleet shows what became of its tasks: claims, results, recoveries,
    merges, pauses and questions. `handrail task show ID --log` shows one task.

    \b
    Examples:
      handrail log                             the last run
      handrail log shop --follow               keep watching, until Ctrl-C
      handrail log --decision modify,block     changed or stopped actions
      handrail log --findings                  findings and interventions
      handrail log --all-runs --since 2h
      handrail log shop --json | jq .event
    """
    chosen = EventFilter(
        decisions=_decisions(decision),
        tools=frozenset(_items(tool.lower())) if tool else frozenset(),
        since=read_since(since, time()) if since else float("-inf"),
        pattern=_regex(pattern) if pattern else None,
        findings=findings,
    )
    if findings and (decision or tool):
        raise click.UsageError("--findings shows no actions; leave out --decision and --tool")
    if all_runs and name != LAST:
        raise click.UsageError("use a RUN or --all-runs, not both")
    home = find_home()
    with read_log(home) as store:
        freeze_loaded_objects()
        if not KnownRuns(store) and not follows:
            if not as_json:
                options.screen().say(f" {nothing_yet(home)}")
            return 0
        log = LogPrinter(store, chosen, options.screen(), as_json=as_json)
        run = None if all_runs else log.choose(name, waits=follows)
        try:
            if follows:
                log.follow(run, limit or TAIL, wait_a_moment)
            else:
                log.show(run, limit)
        except BrokenPipeError:
            # With its number, click would report it as an error; `main` handles it.
            raise BrokenPipeError from None
    return 0


class PrintedEntry(NamedTuple):
    """The printed lines of one entry, and its time."""

    at: float
    lines: list[str]


class LogPrinter:
    """Prints the log of one run or of all runs, once or as it grows."""

    def __init__(
        self, store: Store, chosen: EventFilter, screen: TerminalOutput, *, as_json: bool
    ) -> None:
        self._store = store
        self._filter = chosen
        self._screen = screen
        self._as_json = as_json
        self._joiner = EventJoiner()
        self._names: dict[str, str] = {}
        self._only: KnownRun | LoggedTask | None = None
        self._story: FleetStory | None = None
        self._day = ""
        self._tail: deque[PrintedEntry] | None = None

    def choose(
        self, name: str, *, waits: bool = False, wait: Callable[[], None] = wait_a_moment
    ) -> KnownRun:
        """Find the run. With `waits`, wait for the first run if there is none."""
        runs = KnownRuns(self._store)
        if waits and not runs and name == LAST:
            if not self._as_json:
                self._screen.say(self._screen.paint(" Waiting for the first run …", "dim"))
                sys.stdout.flush()
            while not runs:
                wait()
                runs = KnownRuns(self._store)
        return runs.find(name)

    def show(self, run: "KnownRun | LoggedTask | None", limit: int | None) -> None:
        """Print the log as it is now."""
        self._read_all(run, limit)
        self._print_entries(self._joiner.rest())
        self._print_tail()

    def follow(
        self, run: "KnownRun | LoggedTask | None", limit: int, wait: Callable[[], None]
    ) -> None:
        """Print the last entries, then new ones until Ctrl-C."""
        source = self._read_all(run, limit)
        self._print_tail()
        self._joiner.patience = _PATIENCE
        try:
            for page in follow_log(source, wait, self._complain):
                self._add_page(page)
                sys.stdout.flush()
        except KeyboardInterrupt:
            if sys.stdout.isatty():
                self._screen.say()  # after the ^C of the terminal
            self._print_entries(self._joiner.rest())

    def follow_until(self, run: KnownRun, over: threading.Event) -> None:
        """Print new entries until `over` is set and nothing is left to print."""
        source = self._source(run)
        self._joiner.patience = _PATIENCE
        is_last_look = False
        for page in follow_log(source, lambda: bool(over.wait(_PAUSE)), self._complain):
            self._add_page(page)
            sys.stdout.flush()
            if not page and is_last_look:
                break
            is_last_look = not page and over.is_set()
        self._print_entries(self._joiner.rest())
        sys.stdout.flush()

    def _read_all(self, run: "KnownRun | LoggedTask | None", limit: int | None) -> PagedLog:
        """Read what is in the log, and keep the last entries if there is a limit."""
        if limit:
            self._tail = deque(maxlen=limit)
        source = self._source(run)
        for page in source.pages():
            self._add_page(page)
        return source

    def _source(self, only: "KnownRun | LoggedTask | None") -> PagedLog:
        self._only = only
        if only is None:
            return LogReader(self._store, RUNS, whole_log=True)
        if isinstance(only, KnownRun) and not self._store.topics(_FLEETS):
            return LogReader(self._store, only.topic)
        return self._fleet_source(only)

    def _fleet_source(self, only: "KnownRun | LoggedTask") -> PagedLog:
        """Return the log of a fleet's run or task; other runs need not load all this."""
        from handrail.cli.history.fleet_story import FleetLogReader, FleetStory, story_of_run

        if not isinstance(only, KnownRun):
            self._story = FleetStory(only.fleet, task=only.name)
            return LogReader(self._store, self._story.topic)
        self._story = story_of_run(self._store, only)
        of_run = LogReader(self._store, only.topic)
        if self._story is None:
            return of_run
        return FleetLogReader(of_run, LogReader(self._store, self._story.topic))

    def _add_page(self, page: list[StoredEntry]) -> None:
        for stored in page:
            if self._story is not None and self._story.has(stored):
                self._add_of_fleet(self._story, stored)
                continue
            run = run_of(stored.topic)
            event = decode_or_fault(stored)
            wanted = self._filter.wants(run, event)
            if not self._as_json:
                self._joiner.add(run, event, shown=wanted)
            elif wanted:
                self._emit(PrintedEntry(stored.at, [_json(run, stored, event)]))
        self._print_entries(self._joiner.ready())

    def _add_of_fleet(self, story: "FleetStory", stored: StoredEntry) -> None:
        from handrail.cli.history.fleet_story import read_event, say

        event = read_event(stored)
        sentence = say(event)
        if not story.takes(event) or not self._filter.wants_text(stored.at, sentence.text):
            return
        self._print_entries(self._joiner.ready())
        at = event.at if event else stored.at
        lines = (
            [story.as_json(stored)] if self._as_json else sentence_lines(self._screen, at, sentence)
        )
        self._emit(PrintedEntry(at, lines))

    def _print_entries(self, entries: Iterable[JoinedEntry]) -> None:
        for entry in entries:
            name = "" if self._only else self._name(entry.run)
            lines = entry_lines(self._screen, entry, name, evidence=self._filter.findings)
            self._emit(PrintedEntry(entry.at, lines))

    def _emit(self, shown: "PrintedEntry") -> None:
        if self._tail is not None:
            self._tail.append(shown)
        else:
            self._print(shown)

    def _print_tail(self) -> None:
        entries, self._tail = self._tail or (), None
        for shown in entries:
            self._print(shown)

    def _print(self, shown: "PrintedEntry") -> None:
        if not self._as_json and (today := day(shown.at)) != self._day:
            self._day = today
            name = f"{visible(self._only.name)} · " if self._only else ""
            title = f" ── {name}{today} "
            line = "─" * (self._screen.width - columns(title) - 1)
            self._screen.say(self._screen.paint(f"{title}{line}", "dim"))
        for line in shown.lines:
            self._screen.say(line)

    def _name(self, run: str) -> str:
        if run not in self._names:
            self._names = {known.id: known.name for known in KnownRuns(self._store)}
        return self._names.get(run, run)

    def _complain(self, problem: str) -> None:
        if not self._as_json:
            self._screen.say(self._screen.paint(f" ! {visible(problem)}; still trying", "red"))


def _json(run: str, stored: StoredEntry, event: Event) -> str:
    """Return the stored event and its place as JSON."""
    place = {"run": run, "seq": stored.seq, "position": stored.position}
    body = stored.body
    if isinstance(event, FaultNoted):  # it may stand for an event that cannot be read
        body = to_json(event)
    return printable_json(to_json(place)[:-1] + b"," + body[1:])


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _decisions(text: str | None) -> frozenset[str]:
    found = frozenset(_items(text or ""))
    if unknown := found - _DECISIONS:
        names = ", ".join(sorted(unknown))
        raise click.UsageError(f"--decision {names}: use allow, warn, modify or block")
    return found


def _regex(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise click.UsageError(f"--grep {pattern}: {error}") from None
