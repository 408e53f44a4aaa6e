"""Loops and stalls in recorded runs: early in those that were stuck, rare in those that were not.

A run counts as stuck where the detector of another program stopped it; how many steps before that
the first finding comes is the lead.
"""

import gzip
import os
from pathlib import Path
from statistics import median
from typing import Literal

import msgspec
import pytest

from handrail.cli.replays.past_reviews import PastReviews
from handrail.cli.replays.sessions import ReadingCount, read_sessions
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

NONE, LOW, MEDIUM, HIGH, CRITICAL = Severity
Label = Literal["stuck", "resolved", "other"]
FIXTURE = Path(__file__).parent / "fixtures" / "runs.jsonl"
RECORDED = os.environ.get("HANDRAIL_RECORDED_RUNS", "")
"""A folder with more of them, in runs_dev.jsonl.gz."""
KINDS = frozenset({"loop", "stall", "repetitive_errors", "repeated_refusals"})
ALL: frozenset[str] = frozenset()


class _Outcome(msgspec.Struct):
    stuck_by_openhands: bool
    resolved: bool | None

    @property
    def label(self) -> Label:
        if self.stuck_by_openhands:
            return "stuck"
        return "resolved" if self.resolved else "other"


class _Line(msgspec.Struct):
    outcome: _Outcome


class Told(msgspec.Struct, frozen=True):
    """What was found in one run, after each step."""

    run: str
    label: Label
    found: list[tuple[Finding, ...]]

    def severities(self, kinds: frozenset[str] = KINDS) -> list[Severity]:
        """The worst after each step."""
        return [
            max((each.severity for each in found if each.kind in kinds or not kinds), default=NONE)
            for found in self.found
        ]

    @property
    def lead(self) -> int:
        """Steps from the first finding to the last step; below 0 where nothing was found."""
        found = (step for step, each in enumerate(self.severities()) if each >= LOW)
        return len(self.found) - 1 - next(found, len(self.found))


def _told(path: Path) -> list[Told]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    labels = [msgspec.json.decode(line, type=_Line).outcome.label for line in text.splitlines()]
    sessions = read_sessions(path, ReadingCount(), set())
    past = PastReviews(None, ())
    return [
        Told(session.name, label, [judged.noticed.findings for judged in past.judge(session)])
        for session, label in zip(sessions, labels, strict=True)
    ]


def _share(
    runs: list[Told], label: Label, severity: Severity, kinds: frozenset[str] = KINDS
) -> float:
    reached = [max(run.severities(kinds)) >= severity for run in runs if run.label == label]
    return sum(reached) / len(reached)


# --- a few runs, on every machine --------------------------------------------------------------


@pytest.fixture(scope="module")
def few() -> dict[str, Told]:
    return {run.run: run for run in _told(FIXTURE)}


@pytest.mark.parametrize(
    ("run", "severities"),
    [
        ("o1_high/sympy__sympy-13551", [NONE] * 7 + [LOW, MEDIUM]),
        ("Sky-T1-32B-No-Reason-Preview/sympy__sympy-20590", [NONE, NONE, LOW, MEDIUM, MEDIUM]),
        ("Sky-T1-32B-Reasoning-Preview/django__django-13809", [NONE, NONE, LOW, MEDIUM]),
        ("o1_low/psf__requests-1766", [NONE] * 9),
    ],
)
def test_what_is_found_after_each_step(
    few: dict[str, Told], run: str, severities: list[Severity]
) -> None:
    assert few[run].severities() == severities


def test_stuck_runs_are_found_and_the_others_are_not(few: dict[str, Told]) -> None:
    reached = {(run.label, max(run.severities()) >= MEDIUM) for run in few.values()}
    assert reached == {("stuck", True), ("resolved", False)}


# --- many, where they are at hand --------------------------------------------------------------


@pytest.fixture(scope="module")
def many() -> list[Told]:
    if not RECORDED:
        pytest.skip("HANDRAIL_RECORDED_RUNS names no folder with recorded runs")
    return _told(Path(RECORDED, "runs_dev.jsonl.gz"))


def test_the_first_finding_comes_two_steps_before_the_other_detector_stops(
    many: list[Told],
) -> None:
    assert median(run.lead for run in many if run.label == "stuck") >= 2


def test_almost_all_stuck_runs_reach_medium(many: list[Told]) -> None:
    assert _share(many, "stuck", MEDIUM) >= 0.98


@pytest.mark.parametrize(("severity", "share"), [(LOW, 0.15), (MEDIUM, 0.06), (HIGH, 0.02)])
def test_few_runs_that_did_their_task_are_disturbed(
    many: list[Told], severity: Severity, share: float
) -> None:
    assert _share(many, "resolved", severity) <= share


@pytest.mark.parametrize(("severity", "share"), [(LOW, 0.20), (MEDIUM, 0.08), (HIGH, 0.03)])
def test_all_detectors_together_disturb_few_runs_that_did_their_task(
    many: list[Told], severity: Severity, share: float
) -> None:
    assert _share(many, "resolved", severity, ALL) <= share
