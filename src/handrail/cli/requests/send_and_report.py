"""Send a control command and report its progress: requested → acknowledged → confirmed."""

import os
import sys
from collections.abc import Iterable
from typing import Literal

import click

from handrail.cli import EXIT_ERROR, EXIT_INTERRUPTED, options
from handrail.cli.daemon_request import ready_daemon
from handrail.cli.output.json_line import printable_json
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad, visible
from handrail.cli.requests.progress_line import RequestFacts, lines_of, read_facts
from handrail.cli.requests.sending import ChosenRuns, SentRequest, follow_requests
from handrail.control import message as wire
from handrail.control.client import make_request
from handrail.control.message import AnyMessage
from handrail.model.control import ControlCommand
from handrail.server.control.connection import DaemonConnection
from handrail.server.home import Home
from handrail.words.amounts import count

Form = Literal["words", "json", "silent"]

EXIT_REFUSED = 1
EXIT_LATE = 3
_MAX_PENDING = 10
_MAX_NAME = 18


def send_and_report(
    home: Home,
    command: ControlCommand,
    chosen: ChosenRuns,
    *,
    reason: str,
    text: str,
    choice: str = "",
    seconds: float,
    form: Form = "words",
) -> int:
    """Send a command to the chosen runs, report the results, and return the exit code."""
    show_left_out(chosen, command, to_stderr=form != "words")
    if not chosen.runs:
        return 0
    with ready_daemon(home):
        pass
    all_sent = []
    for run in chosen.runs:
        own = choice if chosen.takes(choice, run, command) else ""
        request = make_request(command, run.id, reason=reason, text=text, choice=own)
        all_sent.append(SentRequest(run, request))
    reporter = _SilentReporter()
    if form == "json":
        reporter = _JsonReporter()
    elif form == "words":
        reporter = _person_reporter(home, all_sent, seconds, is_named=chosen.among > 1)
    reporter.begin(all_sent)
    try:
        for sent, message in follow_requests(DaemonConnection(home), all_sent, seconds):
            reporter.on_message(sent, message)
    except KeyboardInterrupt:
        reporter.interrupted()
        return EXIT_INTERRUPTED
    return max((_code(sent) for sent in all_sent), key=_BY_SEVERITY.index)


_BY_SEVERITY = (0, EXIT_LATE, EXIT_REFUSED, EXIT_ERROR)
"""The exit codes; of several, the last one here counts."""


def _code(sent: SentRequest) -> int:
    if sent.result is not None:
        return 0 if sent.result.ok else EXIT_REFUSED
    return EXIT_ERROR if sent.unreachable else EXIT_LATE


def list_runs(screen: TerminalOutput, chosen: ChosenRuns) -> None:
    """List the runs that get the command."""
    for run in chosen.runs:
        screen.say(f"   {clip(run.name, screen.width - 3)}")


def show_left_out(chosen: ChosenRuns, command: ControlCommand, *, to_stderr: bool) -> None:
    """Tell which runs do not get the command, and why."""
    screen = options.screen()
    for run, why in chosen.left_out:
        line = clip(f" Skipped {run.name}: {why}", screen.width)
        click.echo(line if to_stderr else screen.paint(line, "dim"), err=to_stderr)
    if not chosen.runs:
        also = "other " if chosen.left_out else ""
        click.echo(f" Nothing to {command.value}: no {also}run is active.", err=to_stderr)


class _SilentReporter:
    """Reports nothing: the caller only wants the exit code."""

    def begin(self, all_sent: list[SentRequest]) -> None:
        """The requests go out."""

    def on_message(self, sent: SentRequest, message: AnyMessage | None) -> None:
        """A message about a request arrived; None means that there will be no more."""

    def interrupted(self) -> None:
        """The user does not want to wait any longer."""


class _JsonReporter(_SilentReporter):
    """Prints the messages of the protocol for a program."""

    def begin(self, all_sent: list[SentRequest]) -> None:
        for sent in all_sent:
            self._print(sent.request)

    def on_message(self, sent: SentRequest, message: AnyMessage | None) -> None:
        if message is not None:
            self._print(message)
        elif sent.unreachable:
            click.echo(f"handrail: {visible(sent.unreachable)}", err=True)

    def _print(self, message: AnyMessage) -> None:
        click.echo(printable_json(wire.encode(message)))
        sys.stdout.flush()


class _LineReporter(_SilentReporter):
    """Prints a line for each run when its request is complete."""

    def __init__(self, home: Home, screen: TerminalOutput, seconds: float, name_width: int) -> None:
        self._home = home
        self._screen = screen
        self._seconds = seconds
        self._name_width = name_width
        self._pending: list[SentRequest] = []

    def begin(self, all_sent: list[SentRequest]) -> None:
        self._pending = list(all_sent)

    def on_message(self, sent: SentRequest, message: AnyMessage | None) -> None:
        if message is None:
            self._pending.remove(sent)
            self._show(self._lines(sent, read_facts(self._home, sent)))

    def interrupted(self) -> None:
        for sent in self._pending:
            self._show(self._lines(sent))
        what = "The request stays open" if len(self._pending) == 1 else "The requests stay open"
        self._show([f" {what}. See handrail status."])

    def _lines(self, sent: SentRequest, facts: RequestFacts | None = None) -> list[str]:
        name = pad(clip(sent.run.name, _MAX_NAME), self._name_width) if self._name_width else ""
        return lines_of(self._screen, sent, name, self._seconds, facts)

    def _show(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._screen.say(line)
        sys.stdout.flush()


class _LiveReporter(_LineReporter):
    """Redraws the lines of pending requests below those of complete ones."""

    _drawn = 0

    def begin(self, all_sent: list[SentRequest]) -> None:
        super().begin(all_sent)
        self._draw()

    def on_message(self, sent: SentRequest, message: AnyMessage | None) -> None:
        self._erase()
        super().on_message(sent, message)
        self._draw()

    def interrupted(self) -> None:
        sys.stdout.write("\r")  # over the ^C of the terminal
        self._erase()
        super().interrupted()

    def _draw(self) -> None:
        lines = [self._lines(sent)[0] for sent in self._pending[:_MAX_PENDING]]
        if (more := len(self._pending) - _MAX_PENDING) > 0:
            lines.append(self._screen.paint(f" … and {count(more, 'more run')}", "dim"))
        self._show(lines)
        self._drawn = len(lines)

    def _erase(self) -> None:
        if self._drawn:
            sys.stdout.write(f"\x1b[{self._drawn}A\x1b[J")
        self._drawn = 0


def _person_reporter(
    home: Home, all_sent: list[SentRequest], seconds: float, *, is_named: bool
) -> _LineReporter:
    names = [columns(clip(sent.run.name, _MAX_NAME)) for sent in all_sent]
    width = max(names) if is_named or len(names) > 1 else 0
    is_live = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return (_LiveReporter if is_live else _LineReporter)(home, options.screen(), seconds, width)
