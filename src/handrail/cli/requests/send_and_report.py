"""Sending a command, and telling how far it has come: requested → acknowledged → confirmed."""

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, Protocol

import click

from handrail.cli import EXIT_ERROR, EXIT_INTERRUPTED, options
from handrail.cli.daemon_request import show_waiting
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad, visible
from handrail.cli.requests.progress_line import RequestFacts, learn, lines_of
from handrail.cli.requests.sending import ChosenRuns, SentRequest, follow
from handrail.control import message as wire
from handrail.control.client import make_request
from handrail.control.message import AnyMessage
from handrail.model.control import ControlCommand
from handrail.words.amounts import count

if TYPE_CHECKING:
    from handrail.server.home import Home

Form = Literal["words", "json", "silent"]

EXIT_REFUSED = 1
EXIT_LATE = 3
_MAX_PENDING = 10
_MAX_NAME = 18


class _Reporter(Protocol):
    """Tells whoever has asked."""

    def begin(self, all_sent: list[SentRequest]) -> None:
        """It is on its way."""

    def hear(self, sent: SentRequest, message: AnyMessage | None) -> None:
        """One of them got further; None: nothing more is awaited of it."""

    def leave(self) -> None:
        """Somebody does not want to wait any longer."""


def send_and_report(
    home: "Home",
    command: ControlCommand,
    chosen: ChosenRuns,
    *,
    reason: str,
    text: str,
    seconds: float,
    form: Form = "words",
) -> int:
    """Ask for something, tell what comes of it, and give the exit code."""
    from handrail.server.control.connection import DaemonConnection
    from handrail.server.http.socket_client import DaemonError
    from handrail.server.launcher import ensure_daemon

    say_left_out(chosen, command, to_stderr=form != "words")
    if not chosen.runs:
        return 0
    try:
        with show_waiting("starting the daemon"):
            ensure_daemon(home)
    except DaemonError as error:
        raise click.ClickException(str(error)) from None
    all_sent = [
        SentRequest(run, make_request(command, run.id, reason=reason, text=text))
        for run in chosen.runs
    ]
    teller = (
        _TELLERS[form]()
        if form in _TELLERS
        else _person(home, all_sent, seconds, is_named=chosen.among > 1)
    )
    teller.begin(all_sent)
    try:
        for sent, message in follow(DaemonConnection(home), all_sent, seconds):
            teller.hear(sent, message)
    except KeyboardInterrupt:
        teller.leave()
        return EXIT_INTERRUPTED
    return max((_code(sent) for sent in all_sent), key=_GRAVITY.index)


_GRAVITY = (0, EXIT_LATE, EXIT_REFUSED, EXIT_ERROR)
"""Of several exit codes the last one in here counts."""


def _code(sent: SentRequest) -> int:
    if sent.result is not None:
        return 0 if sent.result.ok else EXIT_REFUSED
    return EXIT_ERROR if sent.unreachable else EXIT_LATE


def list_runs(screen: TerminalOutput, chosen: ChosenRuns) -> None:
    """Say whom it is about."""
    for run in chosen.runs:
        screen.say(f"   {clip(run.name, screen.width - 3)}")


def say_left_out(chosen: ChosenRuns, command: ControlCommand, *, to_stderr: bool) -> None:
    """Say who gets nothing, and why."""
    screen = options.screen()
    for run, why in chosen.left_out:
        line = clip(f" {run.name} is left out: {why}", screen.width)
        click.echo(line if to_stderr else screen.paint(line, "dim"), err=to_stderr)
    if not chosen.runs:
        also = "other " if chosen.left_out else ""
        click.echo(f" Nothing to {command.value}: no {also}run is under way.", err=to_stderr)


class _JsonReporter:
    """Tells a program: the messages of the protocol, as they come."""

    def begin(self, all_sent: list[SentRequest]) -> None:
        for sent in all_sent:
            self._print(sent.request)

    def hear(self, sent: SentRequest, message: AnyMessage | None) -> None:
        if message is not None:
            self._print(message)
        elif sent.unreachable:
            click.echo(f"handrail: {visible(sent.unreachable)}", err=True)

    def leave(self) -> None:
        """The request stays, which the messages so far tell."""

    def _print(self, message: AnyMessage) -> None:
        from handrail.cli.output.json_line import shown_json

        click.echo(shown_json(wire.encode(message)))
        sys.stdout.flush()


class _SilentReporter:
    """Whoever has asked only wants the exit code."""

    def begin(self, all_sent: list[SentRequest]) -> None:
        """Nothing is said."""

    def hear(self, sent: SentRequest, message: AnyMessage | None) -> None:
        """Nothing is said."""

    def leave(self) -> None:
        """Nothing is said."""


_TELLERS: dict[str, type[_JsonReporter] | type[_SilentReporter]] = {
    "json": _JsonReporter,
    "silent": _SilentReporter,
}


class _LineReporter:
    """Tells a person: a line for each run, printed when it is complete."""

    def __init__(
        self, home: "Home", screen: TerminalOutput, seconds: float, name_width: int
    ) -> None:
        self._home = home
        self._screen = screen
        self._seconds = seconds
        self._name_width = name_width
        self._pending: list[SentRequest] = []

    def begin(self, all_sent: list[SentRequest]) -> None:
        self._pending = list(all_sent)

    def hear(self, sent: SentRequest, message: AnyMessage | None) -> None:
        if message is None:
            self._pending.remove(sent)
            self._show(self._lines(sent, learn(self._home, sent)))

    def leave(self) -> None:
        for sent in self._pending:
            self._show(self._lines(sent))
        what = "The request stays" if len(self._pending) == 1 else "The requests stay"
        self._show([f" {what}: handrail status shows what comes of it."])

    def _lines(self, sent: SentRequest, learned: RequestFacts | None = None) -> list[str]:
        name = pad(clip(sent.run.name, _MAX_NAME), self._name_width) if self._name_width else ""
        return lines_of(self._screen, sent, name, self._seconds, learned)

    def _show(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._screen.say(line)
        sys.stdout.flush()


class _LiveReporter(_LineReporter):
    """Tells a person at a terminal: what is not complete grows below what is."""

    def __init__(
        self, home: "Home", screen: TerminalOutput, seconds: float, name_width: int
    ) -> None:
        super().__init__(home, screen, seconds, name_width)
        self._drawn = 0

    def begin(self, all_sent: list[SentRequest]) -> None:
        super().begin(all_sent)
        self._draw()

    def hear(self, sent: SentRequest, message: AnyMessage | None) -> None:
        self._erase()
        super().hear(sent, message)
        self._draw()

    def leave(self) -> None:
        sys.stdout.write("\r")  # over the ^C that the terminal shows
        self._erase()
        super().leave()

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


def _person(
    home: "Home", all_sent: list[SentRequest], seconds: float, *, is_named: bool
) -> _LineReporter:
    names = [columns(clip(sent.run.name, _MAX_NAME)) for sent in all_sent]
    width = max(names) if is_named or len(names) > 1 else 0
    grows = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return (_LiveReporter if grows else _LineReporter)(home, options.screen(), seconds, width)
