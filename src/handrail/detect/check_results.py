"""Checks of the work: when they passed, and which of them an edit has broken."""

import re

import msgspec

from handrail.detect.completed_step import CompletedStep
from handrail.detect.test_runs import tests_passed
from handrail.model.action import SHELL_TOOLS
from handrail.model.check_commands import is_test_run
from handrail.model.effect import Kind
from handrail.model.worsening import Worsening

_MAX_CALLS = 32
_END = 400
"""Characters at the end of an output that tell the number of failures."""
_FAILURES = re.compile(
    r"([1-9][0-9]*) (?:fail(?:ed|ing|ures?)|errors?)\b|(?:ailures|rrors)[=:] ?([1-9][0-9]*)"
)
_COMMIT = re.compile(r"\bgit\b[^|;&]*\bcommit\b")


class CheckedCall(msgspec.Struct, gc=False):
    """A command that may check the work, and its last results."""

    shown: str
    good: int = 0
    """The last step in which it passed, or had the fewest failures; 0: none."""
    failures: int = 0
    """The failures of that step."""
    edits: int = 0
    """The edits of the run before that step."""
    bad: int = 0
    """The last step in which it was worse than that; 0: it is not."""
    now: int = 0
    """The failures of that step; 0: not counted."""


class CheckResults(msgspec.Struct):
    """The last results of commands, and the last step whose work has passed a check."""

    calls: dict[str, CheckedCall] = msgspec.field(default_factory=dict)
    verified: int = 0
    """Nothing before this step is taken back: a test, a check or a commit stands behind it."""
    last: int = 0
    """The last step."""
    edits: int = 0
    """Steps that have changed files."""

    def see(self, done: CompletedStep) -> None:
        """Note the result of a command, and edits after those before it."""
        self.last = done.step
        if done.ending not in ("ok", "failed"):
            return
        if done.intent.tool.lower() in SHELL_TOOLS:
            self._note(done)
        if done.changed or done.intent.writes:
            self.edits += 1

    def confirm(self) -> None:
        """Note that the verify command of a loop has passed."""
        self.verified = self.last

    def worsening(self, steps: tuple[int, ...]) -> Worsening | None:
        """Return the check that an edit has broken, if its last failure is one of these steps."""
        broken = [each for each in self.calls.values() if each.bad and each.bad in steps]
        if not broken:
            return None
        worst = max(broken, key=lambda each: each.bad)
        then = f"had {worst.failures} failed" if worst.failures else "worked"
        now = f"had {worst.now} failed" if worst.now and worst.failures else "failed"
        says = f"`{worst.shown}` {then} in step {worst.good}, and {now} in step {worst.bad}"
        return Worsening(says, worst.good)

    def _note(self, done: CompletedStep) -> None:
        intent = done.intent
        known = self.calls.pop(intent.call, None)
        is_test = done.ending == "ok" and is_test_run(intent.shown)
        if done.ending == "ok" and (not is_test or tests_passed(done)):
            if is_test or (known and known.bad) or _commits(done):
                self.verified = done.step
            elif not _runs_code(done):
                return
            self._keep(intent.call, CheckedCall(intent.shown, done.step, edits=self.edits))
        elif done.outside:
            if known is not None:
                self._keep(intent.call, known)
        elif known is not None:
            self._keep(intent.call, self._failed(known, done))
        elif is_test_run(intent.shown) and (failures := _failures(done)):
            good = CheckedCall(intent.shown, done.step, failures, self.edits)
            self._keep(intent.call, good)

    def _failed(self, known: CheckedCall, done: CompletedStep) -> CheckedCall:
        failures = _failures(done)
        if known.failures and failures <= known.failures:
            if 0 < failures < known.failures:
                return CheckedCall(known.shown, done.step, failures, self.edits)
            return known
        if self.edits > known.edits:
            known.bad, known.now = done.step, failures
        return known

    def _keep(self, call: str, result: CheckedCall) -> None:
        self.calls[call] = result
        if len(self.calls) > _MAX_CALLS:
            del self.calls[next(iter(self.calls))]


def _failures(done: CompletedStep) -> int:
    """Return the number of failures that an output names; 0: none."""
    end = (done.outcome.error or done.outcome.output)[-_END:]
    if "ail" not in end and "rror" not in end:
        return 0
    counts = [int(one or other) for one, other in _FAILURES.findall(end)]
    return counts[-1] if counts else 0


def _runs_code(done: CompletedStep) -> bool:
    kinds = done.intent.kinds
    return Kind.RUN in kinds or Kind.UNSEEN in kinds


def _commits(done: CompletedStep) -> bool:
    return "commit" in done.intent.shown and _COMMIT.search(done.intent.shown) is not None
