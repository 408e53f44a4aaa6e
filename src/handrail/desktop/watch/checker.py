"""One check of the screen: look, recover if that is known to help, and look again."""

from collections.abc import Callable
from time import perf_counter

import msgspec

from handrail.desktop.analyse.vision_answer import UnusableAnswerError
from handrail.desktop.capture.screenshot import CaptureTarget, Screenshot
from handrail.desktop.errors import AnalysisError, DesktopError
from handrail.desktop.screen_reading import ScreenQuestion, ScreenReader, ScreenReading
from handrail.desktop.watch.run_link import RunLink
from handrail.desktop.watch.symptom_ledger import SymptomLedger
from handrail.desktop.watch.worker import DesktopWorker
from handrail.desktop.watch.worker_hold import HoldReason, WorkerHold
from handrail.model.desktop import CheckOutcome, DesktopCheck, RecoveryStep, ScreenStatus

_PAUSE_SECONDS = 30.0
"""How long the worker has to reach a safe point."""
_SETTLE_TRIES = 30
_SETTLE_SECONDS = 0.5
"""How often, and how long apart, the screen is read until it is fine after a recovery."""
_NO_PROGRESS = "no_progress"
_SAME_LOOKS = 4
"""How often trouble has to be there again: a window that opens or closes is none."""
_MOST_LOOKS = 12
TROUBLE = HoldReason.TROUBLE


class ScreenLook(msgspec.Struct, frozen=True):
    """What one picture of the screen was read as."""

    sensed: ScreenReading
    """By local sensing."""
    reading: ScreenReading
    """The reading that counts: the same, or that of a model."""
    note: str = ""
    """Why no model was heard."""


Recover = Callable[[ScreenLook, str], tuple[RecoveryStep, ...]]
"""Carries out the recovery of a look, for the expected file; raises RecoveryError if none is
allowed."""


class CheckTools(msgspec.Struct, frozen=True):
    """What a check works with."""

    capture: Callable[[CaptureTarget], Screenshot]
    local: ScreenReader
    vision: ScreenReader | None
    """None: no model is asked."""
    recover: Recover
    keep: Callable[[Screenshot], str]
    """Keeps a picture and returns its name, or ""; raises nothing."""
    verify: Callable[[str], str]
    """Returns what is wrong with a file after a recovery, or ""."""
    sleep: Callable[[float], object]


class ScreenChecker:
    """Checks one screen again and again; used from one thread at a time."""

    def __init__(
        self,
        tools: CheckTools,
        run: RunLink,
        worker: DesktopWorker,
        hold: WorkerHold,
        ledger: SymptomLedger,
        *,
        target: CaptureTarget,
        confidence: float,
        is_stopping: Callable[[], bool],
    ) -> None:
        self._tools = tools
        self._run = run
        self._worker = worker
        self._hold = hold
        self._ledger = ledger
        self._target = target
        self._confidence = confidence
        self._is_stopping = is_stopping
        self._picture = ""

    def check(
        self, expects: Callable[[], str], context: str, *, worker_waits: bool
    ) -> DesktopCheck:
        """Check the screen; a failure of the check itself is a result, too.

        `expects` returns the file that should be open now: a worker that works goes on to others.
        `worker_waits`: the worker has called this and stands still, so nobody has to pause it.
        """
        began = perf_counter()
        self._picture = ""
        try:
            check = self._check(expects, context, worker_waits=worker_waits)
        except DesktopError as error:
            check = DesktopCheck(ScreenStatus.UNKNOWN, CheckOutcome.FAILED, why=str(error))
        ms = (perf_counter() - began) * 1000
        return msgspec.structs.replace(check, context=context, screenshot=self._picture, ms=ms)

    def _check(
        self, expects: Callable[[], str], context: str, *, worker_waits: bool
    ) -> DesktopCheck:
        look, expected = self._confirmed(expects, context, worker_waits=worker_waits)
        reading, seen = look.reading, _seen(look.reading, expected)
        if reading.status is ScreenStatus.NORMAL:
            if stalled := self._stalled():
                return self._without_remedy(_replace(seen, symptom=_NO_PROGRESS), stalled)
            self._ledger.healthy()
            self._hold.release(TROUBLE)
            return seen
        if reading.status is ScreenStatus.UNKNOWN:
            return _replace(seen, outcome=CheckOutcome.UNSURE, why=look.note or "unknown screen")
        self._ledger.see(reading.symptom)
        if reading.confidence < self._confidence:
            why = f"the confidence {reading.confidence:.2f} is below {self._confidence:.2f}"
            return _replace(seen, outcome=CheckOutcome.UNSURE, why=why)
        if self._ledger.is_exhausted(reading.symptom):
            self._held(worker_waits=worker_waits)
            return self._given_up(seen)
        if wait := self._ledger.wait_seconds(reading.symptom):
            why = f"the last recovery was just now; the next one may begin in {wait:.0f} s"
            return _replace(seen, outcome=CheckOutcome.WAITING, why=why)
        if not reading.recovery_actions:
            self._held(worker_waits=worker_waits)
            return self._without_remedy(seen, "nobody knows what would help")
        return self._recover(look, seen, context, worker_waits=worker_waits)

    def _confirmed(
        self, expects: Callable[[], str], context: str, *, worker_waits: bool
    ) -> tuple[ScreenLook, str]:
        """Look until the screen is fine, or the same trouble was there each time.

        A worker that goes from file to file opens and closes windows. Trouble that was treated
        before needs no proof.
        """
        expected = expects()
        look = self._look(expected, context)
        same, looks = 0, 1
        while (
            not worker_waits
            and self._is_new_trouble(look.reading)
            and same < _SAME_LOOKS
            and looks < _MOST_LOOKS
            and not self._is_stopping()
        ):
            self._tools.sleep(_SETTLE_SECONDS)
            before, expected = expected, expects()
            now = self._tools.local.read(self._question(expected, context))
            looks += 1
            same += 1
            if expected != before or _is_gone(look.reading, now):
                look, same = self._look(expected, context), 0
        return look, expected

    def _is_new_trouble(self, reading: ScreenReading) -> bool:
        if reading.status in (ScreenStatus.NORMAL, ScreenStatus.UNKNOWN):
            return False
        return not self._ledger.attempts(reading.symptom)

    def _look(self, expected: str, context: str) -> ScreenLook:
        """Read the screen, by a model only if local sensing is not sure."""
        question = self._question(expected, context)
        self._picture = self._tools.keep(question.screenshot)
        local = self._tools.local.read(question)
        if self._is_sure(local):
            return ScreenLook(local, local)
        return self._asked(question, local)

    def _question(self, expected: str, context: str) -> ScreenQuestion:
        return ScreenQuestion(self._tools.capture(self._target), self._target, expected, context)

    def _is_sure(self, reading: ScreenReading) -> bool:
        is_known = reading.status is not ScreenStatus.UNKNOWN
        return is_known and reading.confidence >= self._confidence

    def _asked(self, question: ScreenQuestion, local: ScreenReading) -> ScreenLook:
        """Add the reading of the model, if there is one and it answers."""
        if self._tools.vision is None:
            return ScreenLook(local, local)
        told = " ".join(filter(None, (question.context, local.description)))
        try:
            seen = self._tools.vision.read(msgspec.structs.replace(question, context=told))
        except UnusableAnswerError as error:
            answered = _replace(local, raw_response=error.raw_response, cost_usd=error.cost_usd)
            return ScreenLook(local, answered, str(error))
        except AnalysisError as error:
            return ScreenLook(local, local, str(error))
        if seen.status is not ScreenStatus.UNKNOWN:
            return ScreenLook(local, seen)
        answered = _replace(local, raw_response=seen.raw_response, cost_usd=seen.cost_usd)
        return ScreenLook(local, answered, "the model does not know it either")

    def _recover(
        self, look: ScreenLook, seen: DesktopCheck, context: str, *, worker_waits: bool
    ) -> DesktopCheck:
        """Let the worker stand still, act, and look whether the symptom is gone."""
        if not self._held(worker_waits=worker_waits):
            why = f"the worker did not reach a safe point within {_PAUSE_SECONDS:g} s"
            return _replace(seen, outcome=CheckOutcome.WAITING, why=why)
        return self._act(look, seen, context)

    def _held(self, *, worker_waits: bool) -> bool:
        """Hold the worker until the screen is clear: it would type into a dialog."""
        return self._hold.hold(TROUBLE, 0 if worker_waits else _PAUSE_SECONDS) or worker_waits

    def _act(self, look: ScreenLook, seen: DesktopCheck, context: str) -> DesktopCheck:
        reading = look.reading
        self._run.save()
        attempt = self._ledger.treat(reading.symptom)
        seen = _replace(seen, attempt=attempt)
        try:
            steps = self._tools.recover(look, seen.expected_file)
        except DesktopError as error:
            return _replace(seen, outcome=CheckOutcome.NOT_RECOVERED, why=str(error))
        seen = _replace(seen, steps=steps)
        failed = next((step for step in steps if not step.ok), None)
        if failed is not None:
            why = f"{failed.action}: {failed.error}"
            return _replace(seen, outcome=CheckOutcome.NOT_RECOVERED, why=why)
        return self._look_again(reading, seen, context)

    def _look_again(self, reading: ScreenReading, seen: DesktopCheck, context: str) -> DesktopCheck:
        """Judge a recovery by the next look, not by the keys that were sent."""
        question, now = self._settled(reading, seen.expected_file, context)
        if not self._is_sure(now) and not self._is_stopping():
            now = self._asked(question, now).reading
        cost = seen.cost_usd + now.cost_usd
        seen = _replace(seen, after=self._tools.keep(question.screenshot), cost_usd=cost)
        if not _is_gone(reading, now):
            return _replace(seen, outcome=CheckOutcome.NOT_RECOVERED, why="it is still there")
        if now.status is not ScreenStatus.NORMAL:  # the next check treats what came instead
            return _replace(seen, outcome=CheckOutcome.RECOVERED, why=f"now: {now.description}")
        if seen.expected_file and (wrong := self._tools.verify(seen.expected_file)):
            return _replace(seen, outcome=CheckOutcome.NOT_RECOVERED, why=wrong)
        self._hold.release(TROUBLE)
        return _replace(seen, outcome=CheckOutcome.RECOVERED)

    def _settled(
        self, before: ScreenReading, expected: str, context: str
    ) -> tuple[ScreenQuestion, ScreenReading]:
        """Look until the screen is fine, or other trouble than before stays there.

        Windows take time to close: a dialog that has done its work may still be in front.
        """
        tries, same, last = 0, 0, before
        while True:
            self._tools.sleep(_SETTLE_SECONDS)
            question = self._question(expected, context)
            now = self._tools.local.read(question)
            tries += 1
            same = same + 1 if _is_gone(before, now) and not _is_gone(last, now) else 0
            last = now
            is_fine = now.status is ScreenStatus.NORMAL and _is_gone(before, now)
            is_over = is_fine or same == _SAME_LOOKS or tries == _SETTLE_TRIES
            if is_over or self._is_stopping():
                return question, now

    def _without_remedy(self, seen: DesktopCheck, why: str) -> DesktopCheck:
        """Count a look at trouble that nobody can treat; after the last one a person has to."""
        self._ledger.see(seen.symptom)
        if self._ledger.is_exhausted(seen.symptom):
            return self._given_up(_replace(seen, why=why))
        if self._ledger.wait_seconds(seen.symptom):
            return _replace(seen, outcome=CheckOutcome.WAITING, why=why)
        attempt = self._ledger.treat(seen.symptom)
        return _replace(seen, outcome=CheckOutcome.UNSURE, attempt=attempt, why=why)

    def _given_up(self, seen: DesktopCheck) -> DesktopCheck:
        attempts = self._ledger.attempts(seen.symptom)
        why = f"it was still there after {attempts} tries{seen.why and ': '}{seen.why}"
        return _replace(seen, outcome=CheckOutcome.GIVEN_UP, attempt=attempts, why=why)

    def _stalled(self) -> str:
        """Return why the worker seems to hang, or "": told by its own progress, not by pixels."""
        now = self._worker.progress()
        if now is None or not self._ledger.stands_still(now) or now.done >= now.total:
            return ""
        at = f" in {now.file}" if now.file else ""
        return f"the worker has not moved since the last look: {now.done} of {now.total}{at}"


def _seen(reading: ScreenReading, expected: str) -> DesktopCheck:
    return DesktopCheck(
        reading.status,
        CheckOutcome.NORMAL,
        confidence=reading.confidence,
        description=reading.description,
        source=reading.source,
        expected_file=expected,
        actual_file=reading.actual_file,
        symptom=reading.symptom,
        raw_response=reading.raw_response,
        cost_usd=reading.cost_usd,
    )


def _is_gone(before: ScreenReading, now: ScreenReading) -> bool:
    """Return whether a look shows something else; an unknown screen proves nothing."""
    if now.status is ScreenStatus.UNKNOWN:
        return False
    if now.source == before.source:
        return now.symptom != before.symptom
    return now.status is not before.status  # two readers name the same trouble differently


_replace = msgspec.structs.replace
