"""`handrail desktop watch`: look at the screen until somebody ends it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import time

import msgspec

from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, visible
from handrail.config.desktop import Desktop
from handrail.desktop.capture.screenshot import CaptureTarget
from handrail.desktop.packages import load
from handrail.model.desktop import CheckOutcome, DesktopCheck
from handrail.words.amounts import count
from handrail.words.desktop import CHECK_SIGNS, check_in_words
from handrail.words.times import clock_time

_SLICE = 0.5
_ENDS = (signal.SIGINT, signal.SIGTERM)


class WatchRequest(msgspec.Struct, frozen=True):
    """What to watch."""

    target: CaptureTarget
    settings: Desktop
    expected: str = ""
    as_json: bool = False


class CheckPrinter:
    """Prints each check as one line, and sums them up."""

    def __init__(self, screen: TerminalOutput, *, as_json: bool) -> None:
        self._screen = screen
        self._as_json = as_json
        self.outcomes: list[CheckOutcome] = []

    def show(self, check: DesktopCheck) -> None:
        """Print a check."""
        self.outcomes.append(check.outcome)
        if self._as_json:
            print_json(check)
            return
        sign, style = CHECK_SIGNS[check.outcome]
        at = clock_time(time())
        says = visible(check_in_words(check))
        self._screen.paragraph(f"{at}  {says}", style, mark=self._screen.paint(sign, style))

    def summary(self) -> str:
        """Return what came of all checks, in one line."""
        times = {outcome: self.outcomes.count(outcome) for outcome in CheckOutcome}
        parts = [count(len(self.outcomes), "look")]
        parts += [
            f"{times[outcome]} {word}"
            for outcome, word in (
                (CheckOutcome.RECOVERED, "recovered"),
                (CheckOutcome.NOT_RECOVERED, "not recovered"),
                (CheckOutcome.GIVEN_UP, "given up"),
                (CheckOutcome.FAILED, "failed"),
            )
            if times[outcome]
        ]
        return " · ".join(parts)


def watch_screen(screen: TerminalOutput, request: WatchRequest) -> int:
    """Watch until Ctrl+C, or until the run is ended; raises DesktopError.

    A display that is not there at the beginning is an error. One that is lost later may come back.
    Returns 1 if something was given up and a person has to look.
    """
    from handrail.desktop.watch.desktop_watch import Watch, describe_target

    displays = load("handrail.desktop.x_display")
    displays.close_display(displays.open_display())
    printer = CheckPrinter(screen, as_json=request.as_json)
    with Watch(
        settings=request.settings,
        target=request.target,
        expected_file=request.expected,
        on_check=printer.show,
    ) as watch:
        if not request.as_json:
            every = f"every {request.settings.interval_seconds:g} s"
            where = describe_target(request.target)
            screen.say(
                f" Watching {visible(where)} {every}, as run {watch.run[:8]}. Ctrl+C ends it."
            )
        with _heeding_signals() as heard:
            while not heard and not watch.wait(_SLICE):
                pass
        why = watch.why_over
    if not request.as_json:
        screen.say(f" {printer.summary()}{f' · {visible(why)}' if why else ''}")
    return 1 if CheckOutcome.GIVEN_UP in printer.outcomes else 0


@contextmanager
def _heeding_signals() -> Iterator[list[int]]:
    """Collect signals that end the watch, in place of dying of them."""
    heard: list[int] = []
    before = {number: signal.signal(number, lambda sent, _: heard.append(sent)) for number in _ENDS}
    try:
        yield heard
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
