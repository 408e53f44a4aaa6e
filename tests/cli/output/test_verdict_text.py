"""A review in words, before an action runs and after."""

import pytest

from handrail.cli.output.terminal import TerminalOutput
from handrail.cli.output.verdict_text import explain_verdict, explain_verdict_fully
from handrail.model.action import Action
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Rationality, Review, Risk, Verdict

ACTION = Action("Bash", {"command": "git checkout -- ."}, "/w/shop")
NEEDS_CHECKPOINT = Review(
    Decision.WARN,
    Risk(0.8, Severity.HIGH),
    Rationality(0.6, 0.6, 0.6, 1.0, 1.0),
    reasons=("It discards changes.",),
    checkpoint_first=True,
)


def test_a_review_says_that_a_checkpoint_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    explain_verdict(TerminalOutput(colour=False, width=100), ACTION, NEEDS_CHECKPOINT)
    out = capsys.readouterr().out
    assert " First     a live session takes a checkpoint first, and refuses it if there" in out


def test_what_ran_behind_a_checkpoint_is_not_called_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    verdict = Verdict(Decision.WARN, "It discards changes. Checkpoint c3 has what is there.")
    explain_verdict_fully(
        TerminalOutput(colour=False, width=100), ACTION, NEEDS_CHECKPOINT, verdict
    )
    out = capsys.readouterr().out
    assert " First     Handrail took a checkpoint before it ran\n" in out
    assert "refuse" not in out
