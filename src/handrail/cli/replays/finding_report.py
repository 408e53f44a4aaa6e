"""The findings of a replay, and the interventions that would have followed."""

from collections import Counter
from collections.abc import Iterator

import msgspec

from handrail.cli.output.terminal import TerminalOutput, clip, columns, visible, wrap
from handrail.cli.replays.past_reviews import ReviewedStep
from handrail.detect.registry import description_of
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention
from handrail.model.ordinal import Severity
from handrail.words.amounts import count
from handrail.words.interventions import finding_in_words, means_in_words, steps_in_words
from handrail.words.sentence import in_words
from handrail.words.times import duration_in_words

_SHOWN = 10
_LONG = 60.0
_LEAST = 12


class ReportedFinding(msgspec.Struct):
    """One kind of finding in one session."""

    run: str
    finding: Finding
    """The worst occurrence."""
    steps: set[int]
    began: float | None
    ended: float | None

    def add(self, finding: Finding, at: float | None) -> None:
        """Add another occurrence."""
        if finding.severity >= self.finding.severity:
            self.finding = finding
        self.steps.update(finding.evidence)
        self.ended = at

    def name(self, room: int) -> str:
        """Return the name of the session, shortened from the left."""
        name = visible(self.run)
        return name if columns(name) <= room else f"…{name[-max(room - 1, _LEAST) :]}"

    @property
    def extent(self) -> str:
        """The number of steps, and the duration if it is long."""
        steps = count(len(self.steps), "step")
        if self.began is None or self.ended is None or self.ended - self.began < _LONG:
            return steps
        return f"{steps}, {duration_in_words(self.ended - self.began)}"


class ReportedFindings:
    """All findings of at least medium severity."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, str], ReportedFinding] = {}
        self._made: dict[int, list[Intervention]] = {}
        self._times: dict[int, dict[int, float]] = {}

    def add(self, session: int, judged: ReviewedStep) -> None:
        """Add the findings and interventions of one step."""
        if judged.noticed.interventions:
            self._made.setdefault(session, []).extend(judged.noticed.interventions)
        times = self._times.setdefault(session, {})
        if judged.at is not None:
            times[judged.step] = judged.at
        for finding in judged.noticed.findings:
            if finding.severity < Severity.MEDIUM:
                continue
            known = self._found.get((session, finding.kind))
            if known is None:
                began = times.get(min(finding.evidence, default=judged.step))
                known = ReportedFinding(judged.run, finding, set(), began, judged.at)
                self._found[session, finding.kind] = known
            known.add(finding, judged.at)

    def forget(self, session: int) -> None:
        """Drop the step times of a finished session."""
        self._times.pop(session, None)

    def rows(self) -> Iterator[tuple[str, int, ReportedFinding]]:
        """Yield a label, the number of sessions and the worst finding of each kind."""
        kinds: dict[str, list[ReportedFinding]] = {}
        for (_, kind), trouble in self._found.items():
            kinds.setdefault(kind, []).append(trouble)
        for kind, same in sorted(kinds.items(), key=lambda item: -len(item[1])):
            worst = max(same, key=lambda each: len(each.steps))
            label = description_of(kind).label or in_words(kind).capitalize()
            yield clip(label, 18), len(same), worst

    def interventions(self) -> tuple[int, str]:
        """Return the number of interventions, and a summary by kind."""
        means = Counter(means_in_words(done.means) for made in self._made.values() for done in made)
        said = ", ".join(f"{name} ({times:,})" for name, times in means.most_common())
        return means.total(), f"{said}; in {count(len(self._made), 'session')}" if said else ""

    def show(self, screen: TerminalOutput, *, show_all: bool) -> None:
        """List the worst sessions."""
        sessions: dict[int, list[ReportedFinding]] = {}
        for (session, _), trouble in self._found.items():
            sessions.setdefault(session, []).append(trouble)
        if not sessions:
            return
        screen.say()
        screen.say(" " + screen.paint("Went wrong", "bold"))
        worst_first = sorted(sessions.items(), key=lambda item: _weight(item[1]), reverse=True)
        shown = worst_first if show_all else worst_first[:_SHOWN]
        for session, troubles in shown:
            self._one(screen, session, troubles)
        if left := len(worst_first) - len(shown):
            screen.say(screen.paint(f"   … and {left} more: --all", "dim"))

    def _one(self, screen: TerminalOutput, session: int, troubles: list[ReportedFinding]) -> None:
        troubles = sorted(troubles, key=lambda each: -each.finding.severity.rank)
        first, *others = troubles
        lines = wrap(finding_in_words(first.finding), screen.width - 3, limit=2)
        for at, line in enumerate(lines):
            screen.say(("     " if at else "   ") + screen.paint(line, "yellow"))
        if others:
            also = ", ".join(f"{in_words(each.finding.kind)}" for each in others)
            screen.say(f"     also: {clip(also, screen.width - 11)}")
        made = ", ".join(
            f"{means_in_words(done.means)} after {done.step}"
            for done in self._made.get(session, ())
        )
        for line in wrap(f"would have tried: {made}", screen.width - 5, limit=2) if made else ():
            screen.say(f"     {line}")
        where = f"     steps {steps_in_words(first.steps)} of "
        where += first.name(screen.width - len(where))
        screen.say(screen.paint(where, "dim"))


def _weight(troubles: list[ReportedFinding]) -> tuple[int, int]:
    worst = max(trouble.finding.severity.rank for trouble in troubles)
    return worst, max(len(trouble.steps) for trouble in troubles)
