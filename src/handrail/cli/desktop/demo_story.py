"""The timeline of `handrail desktop demo`: one line for each thing that happens."""

import sys
import time
from collections.abc import Iterator
from queue import Empty

import msgspec

from handrail.cli.desktop.demo_session import SESSION
from handrail.cli.desktop.demo_stage import DemoMoment, DesktopStage
from handrail.cli.desktop.verify_report import show_report
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad, visible, wrap
from handrail.desktop.replay.engine import ReplayOutcome
from handrail.model.desktop import CheckOutcome, DesktopCheck
from handrail.words.amounts import count
from handrail.words.desktop import (
    CHECK_SIGNS,
    check_in_words,
    result_in_words,
    seen_in_words,
    step_in_words,
)

ROBOT, WATCH, PERSON = "Robot", "Watch", "Person"
_WHO = 8
_POLL = 0.02
_MOST_LINES = 2
_NEXT = (
    ("look", "what is on your screen now?"),
    ("watch", "look at it in intervals"),
    ("record . HEAD~1", "make a session of your last commit"),
    ("replay SESSION.json", "replay it under watch"),
)


class Tempo(msgspec.Struct, frozen=True):
    """How fast the story goes, in seconds."""

    step: float
    """Between two operations of the robot."""
    interval: float
    """Between two looks."""
    line: float
    """To read a line."""


def tempo() -> Tempo:
    """Return the speed of reading, or a faster one if nobody looks on."""
    return Tempo(0.4, 3.0, 0.5) if sys.stdout.isatty() else Tempo(0.15, 1.0, 0.0)


class StoryLine(msgspec.Struct, frozen=True):
    """One line of the timeline."""

    who: str
    says: str
    mark: str = ""
    style: str = ""


class DesktopStory:
    """Plays a stage to its end, and prints it."""

    def __init__(
        self, screen: TerminalOutput, stage: DesktopStage, pace: Tempo, pictures: str
    ) -> None:
        self._screen = screen
        self._stage = stage
        self._pace = pace
        self._pictures = pictures
        self._began = time.monotonic()
        self._looks = 0
        self._closed: list[DesktopCheck] = []

    def play(self) -> int:
        """Play, and return 0 if the dialog was closed and every file is right."""
        screen, stage = self._screen, self._stage
        files = count(len(SESSION.files), "file")
        screen.say(f" A robot edits {files} in mousepad, on a screen that only this demo has.")
        screen.say(f" Handrail watches: it looks at the screen every {self._pace.interval:g} s.")
        screen.say()
        stage.engine.start()
        stage.watch.start()
        is_blocked = False
        while (outcome := stage.engine.join(_POLL)) is None:
            self._print_moments()
            if not is_blocked and stage.is_in_trouble_soon():
                is_blocked = True
                self._block()
        stage.watch.stop()
        self._print_moments()
        return self._end(outcome)

    def _block(self) -> None:
        now = self._stage.engine.progress()
        at = f"{now.done} of {now.total} operations done" if now else ""
        self._line(StoryLine(ROBOT, f"works on cart.py, {at}"))
        dialog = self._stage.press_wrong_keys()
        self._line(StoryLine(PERSON, "comes by and presses Ctrl+Q", "!", "yellow"))
        says = f'a dialog comes up, "{dialog}": the robot cannot type any more'
        self._line(StoryLine(ROBOT, says, "!", "yellow"))

    def _print_moments(self) -> None:
        while True:
            try:
                moment = self._stage.moments.get_nowait()
            except Empty:
                return
            for line in self._lines(moment):
                self._line(line)

    def _lines(self, moment: DemoMoment) -> Iterator[StoryLine]:
        if moment.done:
            yield StoryLine(ROBOT, f"has finished {moment.done}", "✓", "green")
        check = moment.check
        if check is None:
            return
        self._looks += 1
        if check.outcome is CheckOutcome.RECOVERED:
            self._closed.append(check)
            yield from _recovery_lines(check, moment)
        # Looks that find nothing are shown where a file is finished, and the first.
        elif check.outcome is not CheckOutcome.NORMAL or check.context or self._looks == 1:
            is_fine = check.outcome is CheckOutcome.NORMAL
            says = "looks: nothing is in the way" if is_fine else check_in_words(check)
            yield StoryLine(WATCH, says, *CHECK_SIGNS[check.outcome])

    def _line(self, line: StoryLine) -> None:
        screen = self._screen
        seconds = int(time.monotonic() - self._began)
        head = f" {seconds // 60:02}:{seconds % 60:02}  {pad(line.who, _WHO)}"
        lead = f"{line.mark or ' '} "
        says = line.says.replace(f"{self._stage.root}/", "")
        first, *rest = wrap(says, screen.width - columns(head) - 3, limit=_MOST_LINES)
        screen.say(f"{head}{screen.paint(lead + first, line.style)}")
        for more in rest:
            screen.say(" " * (columns(head) + 2) + screen.paint(more, line.style))
        sys.stdout.flush()
        time.sleep(self._pace.line)

    def _end(self, outcome: ReplayOutcome) -> int:
        screen = self._screen
        screen.say(" " + screen.paint("─" * (screen.width - 2), "dim"))
        if outcome.error:
            screen.paragraph(f"The replay stopped: {outcome.error}", "red")
        right = outcome.verification is not None and outcome.verification.success
        if outcome.verification:
            show_report(screen, outcome.verification)
        screen.say()
        operations = sum(each.operations for each in outcome.files)
        closed = f"{count(len(self._closed), 'dialog')} closed"
        parts = (
            count(len(outcome.files), "file"),
            count(operations, "operation"),
            count(self._looks, "look"),
            screen.paint(closed, "green" if self._closed else "red"),
            "no key, no model",
        )
        screen.say(" " + " · ".join(parts))
        self._show_pictures()
        screen.say()
        label = " Next: "
        for command, says in _NEXT:
            screen.say(f"{label}{pad(f'handrail desktop {command}', 38)}{says}")
            label = " " * len(label)
        return 0 if right and self._closed else 1

    def _show_pictures(self) -> None:
        screen = self._screen
        if not self._pictures:
            says = "handrail desktop demo --pictures FOLDER   keeps what the watch saw"
            screen.say(screen.paint(f" {says}", "dim"))
            return
        label = " Pictures  "
        for check in self._closed[:1]:
            for path in self._stage.write_pictures(check, self._pictures):
                screen.say(f"{label}{clip(visible(path), screen.width - len(label))}")
                label = " " * len(label)


def _recovery_lines(check: DesktopCheck, moment: DemoMoment) -> Iterator[StoryLine]:
    yield StoryLine(WATCH, seen_in_words(check), "!", "yellow")
    if moment.held:
        yield StoryLine(WATCH, "lets the robot stand still")
    for step in check.steps:
        yield StoryLine(WATCH, step_in_words(step), *(("✓", "green") if step.ok else ("✗", "red")))
    yield StoryLine(WATCH, result_in_words(check), "✓", "green")
    if moment.verified:
        yield StoryLine(WATCH, f"compares {moment.verified}: as it was saved last", "✓", "green")
    if moment.handed_back:
        yield StoryLine(WATCH, "hands back: the robot goes on", "✓", "green")
