"""The report of a replay."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from handrail.cli.output.terminal import TerminalOutput, clip, wrap
from handrail.cli.replays.finding_report import ReportedFindings
from handrail.cli.replays.past_reviews import PastReviews, ReviewedStep
from handrail.cli.replays.sessions import ReadingCount
from handrail.model.effect import Kind
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Review
from handrail.words.actions import action_in_words
from handrail.words.amounts import count

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_SHOWN = 10
_PATIENCE = 1.0
_HEAD = 31

FAMILIES = {
    Kind.READ: "files read outside the project", Kind.WRITE: "files changed outside the project",
    Kind.DELETE: "deletions", Kind.PERMIT: "permissions", Kind.LINK: "links",
    Kind.SECRET: "secrets read", Kind.REACH: "hosts contacted", Kind.FETCH: "downloads",
    Kind.SEND: "data sent out", Kind.RUN: "programs run",
    Kind.UNSEEN: "code run that nobody has seen", Kind.PRIVILEGE: "raised privileges",
    Kind.KILL: "processes ended", Kind.DISCARD: "uncommitted work thrown away",
    Kind.REWRITE: "history rewritten", Kind.PUBLISH: "things published",
    Kind.DESTROY: "things destroyed", Kind.CHANGE: "changes elsewhere",
    Kind.DEVICE: "devices overwritten", Kind.SYSTEM: "changes to the system",
    Kind.PERSIST: "code that runs later by itself", Kind.INSTALL: "installations",
    Kind.EXHAUST: "machine used up", Kind.ESCAPE: "containers left",
    Kind.TAMPER: "safeguards switched off", Kind.DELEGATE: "agents without limits",
}  # fmt: skip
"""The name of a group of similar reasons, by the kind of the worst effect."""


def family(review: Review | None) -> str:
    """Return the group of reasons for which Handrail stopped a step."""
    if review is None or (review.decision is Decision.BLOCK and not review.confidence):
        return "cannot be read"
    worst = max(review.effects, key=lambda effect: effect.severity, default=None)
    if worst is None and not review.rules and not review.rationality.issues:
        return "other"
    if review.rationality.issues and (worst is None or worst.severity < Severity.MEDIUM):
        return "the same thing tried again"
    return FAMILIES[worst.kind] if worst else review.rules[0].rule


class ReplayReport:
    """Counts the steps of a replay, and keeps those that Handrail would have stopped or changed."""

    def __init__(self, tally: ReadingCount, past: PastReviews) -> None:
        self._tally = tally
        self._past = past
        self._began = perf_counter()
        self._seconds = 0.0
        self._counts: Counter[Decision] = Counter()
        self._kept: dict[Decision, list[ReviewedStep]] = {Decision.BLOCK: [], Decision.MODIFY: []}
        self._families: dict[Decision, Counter[str]] = {}
        self._went_wrong = ReportedFindings()
        self._runs = 0
        self._last_run = ""
        self._bar: tuple[Progress, TaskID] | None = None
        self._total = 0

    def add(self, judged: ReviewedStep) -> None:
        """Count one step."""
        if judged.step == 0 or judged.run != self._last_run:
            self._went_wrong.forget(self._runs)
            self._runs += 1
            self._last_run = judged.run
            self._advance()
        self._went_wrong.add(self._runs, judged)
        decision = judged.review.decision if judged.review else Decision.BLOCK
        self._counts[decision] += 1
        self._seconds += judged.seconds
        if decision is not Decision.ALLOW:
            groups = self._families.setdefault(decision, Counter())
            groups[family(judged.review)] += 1
        if decision in self._kept:
            self._kept[decision].append(judged)

    @contextmanager
    def progress(self, total: int) -> Iterator[None]:
        """Show a progress bar on a terminal if the replay takes more than a second."""
        self._total = total
        try:
            yield
        finally:
            if self._bar:
                self._bar[0].stop()

    def _advance(self) -> None:
        if self._bar is None:
            if perf_counter() - self._began < _PATIENCE or not sys.stderr.isatty():
                return
            self._bar = _start_bar(self._total)
        bar, task = self._bar
        bar.update(task, completed=self._tally.bytes_read, sessions=f"{self._runs:,} sessions")

    def show(self, screen: TerminalOutput, *, show_all: bool) -> None:
        """Print the report."""
        steps = self._counts.total()
        took = perf_counter() - self._began
        each = self._seconds / steps * 1000 if steps else 0.0
        screen.say(
            f" {count(self._runs, 'session')}, {count(steps, 'action')}, {took:.1f} s "
            f"({each:.2f} ms per review)"
        )
        screen.say()
        self._row(screen, "Would have stopped", Decision.BLOCK, "red")
        self._row(screen, "Would have changed", Decision.MODIFY, "yellow")
        if self._counts[Decision.WARN]:
            self._row(screen, "Would have warned", Decision.WARN, "yellow")
        self._row(screen, "Everything else", Decision.ALLOW, "green", "untouched")
        self._patterns(screen)
        self._list(screen, "Stopped", Decision.BLOCK, "red", show_all=show_all)
        self._list(screen, "Changed", Decision.MODIFY, "yellow", show_all=show_all)
        self._went_wrong.show(screen, show_all=show_all)
        self._troubles(screen)

    def _patterns(self, screen: TerminalOutput) -> None:
        """Print findings and interventions."""
        rows = list(self._went_wrong.rows())
        times, made = self._went_wrong.interventions()
        if rows or times:
            screen.say()
        for label, number, worst in rows:
            says = f"worst: {worst.extent}, in "
            says += worst.name(screen.width - _HEAD - len(says))
            _line(screen, label, number, says, "yellow")
        if times:
            _line(screen, "Would have tried", times, made, "yellow")

    def _row(
        self, screen: TerminalOutput, label: str, decision: Decision, style: str, says: str = ""
    ) -> None:
        number = self._counts[decision]
        groups = self._families.get(decision, Counter())
        texts = [f"{name} ({times:,})" for name, times in groups.most_common()]
        _line(screen, label, number, says or ", ".join(texts), style)

    def _list(
        self, screen: TerminalOutput, title: str, decision: Decision, style: str, *, show_all: bool
    ) -> None:
        found = _grouped(sorted(self._kept[decision], key=lambda judged: -_weight(judged)))
        if not found:
            return
        screen.say()
        screen.say(" " + screen.paint(title, "bold"))
        shown = found if show_all else found[:_SHOWN]
        for same in shown:
            self._one(screen, same, style)
        if left := len(found) - len(shown):
            screen.say(screen.paint(f"   … and {left} more: --all", "dim"))

    def _one(self, screen: TerminalOutput, same: list[ReviewedStep], style: str) -> None:
        first = same[0]
        screen.say(
            "   " + screen.paint(clip(action_in_words(first.action), screen.width - 3), style)
        )
        for line in wrap(_reason(first), screen.width - 5, limit=3):
            screen.say(f"     {line}")
        where = f"step {first.step} of {first.run}"
        if more := len(same) - 1:
            where = f"{count(more + 1, 'time')}, first: {where}"
        screen.say(screen.paint(f"     {clip(where, screen.width - 5)}", "dim"))

    def _troubles(self, screen: TerminalOutput) -> None:
        troubles: list[str] = []
        if broken := self._tally.broken_lines:
            troubles.append(f"{count(broken, 'line')} could not be read")
        if unknown := len(self._tally.unknown_files):
            troubles.append(f"{count(unknown, 'file')} held no session")
        troubles += [f"settings not used: {says}" for says in self._past.faulty_settings]
        if troubles:
            screen.say()
        for trouble in troubles:
            screen.say(screen.paint(f" ! {clip(trouble, screen.width - 3)}", "yellow"))


def _line(screen: TerminalOutput, label: str, number: int, says: str, style: str) -> None:
    head = f" {label:<18} {number:>8,}".ljust(_HEAD)
    lines = wrap(says, screen.width - _HEAD, limit=3)
    screen.say((screen.paint(head, style if number else "dim") + lines[0]).rstrip())
    for line in lines[1:]:
        screen.say(" " * _HEAD + line)


def _reason(judged: ReviewedStep) -> str:
    review = judged.review
    if review is None:
        return judged.problem
    changes = review.rewrite.changes if review.rewrite else ()
    return " → ".join([review.explanation, *filter(None, ["; ".join(changes)])])


def _grouped(found: list[ReviewedStep]) -> list[list[ReviewedStep]]:
    """Group equal actions with equal reasons."""
    groups: dict[tuple[str, str], list[ReviewedStep]] = {}
    for judged in found:
        groups.setdefault((action_in_words(judged.action), _reason(judged)), []).append(judged)
    return list(groups.values())


def _weight(judged: ReviewedStep) -> float:
    return judged.review.risk.score if judged.review else 1.0


def _start_bar(total: int) -> "tuple[Progress, TaskID]":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn(" reading"),
        BarColumn(bar_width=30),
        TextColumn("{task.fields[sessions]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("reading", total=total, sessions="")
    bar.start()
    return bar, task
