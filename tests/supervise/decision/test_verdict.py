"""From a review, or from a fault, to what the host gets back."""

import msgspec
import pytest

from handrail.model import Decision, Effect, Kind, Review, Rewrite, Verdict
from handrail.model.ordinal import Severity, Undo
from handrail.model.review import Rationality, Risk
from handrail.supervise.decision.checkpoint_request import CheckpointResult
from handrail.supervise.decision.verdict import (
    OnFault,
    fault_verdict,
    only_reads,
    overrulable,
    under_fault,
    verdict_of,
)

_PLAIN = Rationality(0.6, 0.6, 0.6, 1.0, 1.0)
_ALLOW = Verdict(Decision.ALLOW)
_REFUSED = Verdict(Decision.BLOCK, "No.", "Do that.", overrulable=True)


def review(
    decision: Decision,
    *,
    severity: Severity = Severity.HIGH,
    kinds: tuple[Kind, ...] = (),
    rewrite: Rewrite | None = None,
    faults: tuple[str, ...] = (),
) -> Review:
    return Review(
        decision,
        Risk(0.8, severity),
        _PLAIN,
        effects=tuple(Effect(kind, "x", severity, Undo.UNKNOWN) for kind in kinds),
        reasons=("First.", "Second.", "Third.", "Fourth."),
        alternative="Do that.",
        rewrite=rewrite,
        faults=faults,
    )


def doing(*effects: Effect) -> Review:
    return msgspec.structs.replace(review(Decision.ALLOW), effects=effects)


def fault(policy: OnFault = "deny", *, harmless: bool = False) -> Verdict:
    return fault_verdict(
        harmless=harmless, problem="the disk is full", fix="make room.", policy=policy
    )


def test_what_is_allowed_needs_no_words() -> None:
    assert verdict_of(review(Decision.ALLOW), 0) == _ALLOW


def test_a_warning_says_the_first_reasons() -> None:
    assert verdict_of(review(Decision.WARN), 0) == Verdict(Decision.WARN, "First. Second. Third.")


def test_a_rewrite_comes_with_its_whole_input_and_the_way_back() -> None:
    rewrite = Rewrite({"command": "mv a b", "timeout": 5}, ("a is moved.",), "mv b a")
    verdict = verdict_of(review(Decision.MODIFY, rewrite=rewrite), 0)
    assert verdict.decision is Decision.MODIFY
    assert verdict.updated_input == {"command": "mv a b", "timeout": 5}
    assert (verdict.changes, verdict.restore) == (("a is moved.",), "mv b a")


def test_what_needs_a_checkpoint_first_is_refused_while_none_can_be_taken() -> None:
    unkept = msgspec.structs.replace(review(Decision.WARN), checkpoint_first=True, alternative="")
    verdict = verdict_of(unkept, 0)
    assert (verdict.decision, verdict.overrulable) == (Decision.BLOCK, True)
    assert verdict.reason.endswith("No checkpoint could be taken first.")
    assert "trash" in verdict.alternative


def test_a_mere_warning_does_not_depend_on_a_checkpoint() -> None:
    mild = review(Decision.WARN, severity=Severity.MEDIUM, kinds=(Kind.RUN,))
    verdict = verdict_of(msgspec.structs.replace(mild, checkpoint_first=True), 0)
    assert verdict.decision is Decision.WARN


def test_why_no_checkpoint_could_be_taken_is_said() -> None:
    unkept = msgspec.structs.replace(review(Decision.WARN), checkpoint_first=True, alternative="")
    verdict = verdict_of(unkept, 0, CheckpointResult(problem="the disk is full."))
    assert verdict.decision is Decision.BLOCK
    assert verdict.reason.endswith("No checkpoint could be taken first: the disk is full.")


def test_behind_a_checkpoint_it_runs_and_the_agent_is_told_which() -> None:
    kept = msgspec.structs.replace(review(Decision.WARN), checkpoint_first=True)
    verdict = verdict_of(kept, 0, CheckpointResult("c7"))
    assert verdict.decision is Decision.WARN
    assert "Checkpoint c7" in verdict.reason


def test_what_should_be_rewritten_and_cannot_is_refused() -> None:
    verdict = verdict_of(review(Decision.MODIFY), 0)
    assert (verdict.decision, verdict.alternative) == (Decision.BLOCK, "Do that.")


@pytest.mark.parametrize(
    ("refusals", "said"),
    [(1, "a second time"), (2, "a third time"), (3, "4 times"), (20, "21 times")],
)
def test_a_repeated_refusal_says_that_it_is_one(refusals: int, said: str) -> None:
    assert verdict_of(review(Decision.BLOCK), 0).guidance == ()
    (guidance,) = verdict_of(review(Decision.BLOCK), refusals).guidance
    assert f"has now been refused {said}" in guidance


def test_a_person_may_overrule_what_is_dangerous() -> None:
    assert overrulable(review(Decision.BLOCK))


@pytest.mark.parametrize(
    "refused",
    [
        review(Decision.BLOCK, severity=Severity.CRITICAL),
        review(Decision.BLOCK, kinds=(Kind.WRITE, Kind.TAMPER)),
        review(Decision.BLOCK, faults=("it broke",)),
    ],
    ids=["critical", "a hand on Handrail", "not read"],
)
def test_a_person_may_not_overrule(refused: Review) -> None:
    assert not overrulable(refused)


def test_only_reading_is_harmless() -> None:
    read = Effect(Kind.READ, "x", Severity.NONE, Undo.NEEDLESS)
    hidden = Effect(Kind.READ, "x", Severity.NONE, Undo.NEEDLESS, opaque=True)
    write = Effect(Kind.WRITE, "x", Severity.LOW, Undo.CHECKPOINT)
    assert only_reads(doing())
    assert only_reads(doing(read, read))
    assert not only_reads(doing(read, write))
    assert not only_reads(doing(hidden))


def test_a_program_that_nobody_knows_may_do_anything() -> None:
    assert not only_reads(msgspec.structs.replace(doing(), strange=("frobnicate",)))


def test_under_a_fault_reads_go_on_and_changes_are_refused_with_reason_and_fix() -> None:
    assert fault(harmless=True) == _ALLOW
    refused = fault()
    assert refused.decision is Decision.BLOCK
    assert refused.reason == (
        "Handrail cannot do its work: the disk is full. "
        "Until that is fixed, only what reads may run."
    )
    assert refused.alternative == "Tell the person who started you; for them: make room."


def test_under_a_fault_everything_may_be_refused() -> None:
    refused = fault("deny_all", harmless=True)
    assert refused.decision is Decision.BLOCK
    assert "nothing runs" in refused.reason


def test_under_a_fault_everything_may_run_with_a_warning() -> None:
    warned = fault("warn")
    assert warned.decision is Decision.WARN
    assert "on_fault: warn" in warned.reason


def test_a_sentence_does_not_end_twice() -> None:
    said = fault_verdict(harmless=False, problem="It is gone.", fix="look.", policy="deny").reason
    assert said.startswith("Handrail cannot do its work: It is gone. Until")


def test_the_stricter_of_verdict_and_fault_counts() -> None:
    changed = Verdict(Decision.MODIFY, "Why.", updated_input={"command": "ls"})
    assert under_fault(_ALLOW, fault()).decision is Decision.BLOCK
    assert under_fault(_REFUSED, fault(harmless=True)).reason == "No."
    assert under_fault(changed, fault("warn")).updated_input == {"command": "ls"}


def test_a_milder_fault_is_said_beside_the_verdict() -> None:
    warned = under_fault(Verdict(Decision.WARN, "Careful."), fault("warn"))
    assert warned.reason == "Careful."
    assert "the disk is full" in warned.guidance[0]


def test_nobody_may_overrule_a_refusal_that_cannot_be_written_down() -> None:
    assert not under_fault(_REFUSED, fault()).overrulable
    assert under_fault(_REFUSED, fault("warn")).overrulable


@pytest.mark.parametrize("verdict", [_ALLOW, Verdict(Decision.WARN, "Careful."), _REFUSED])
@pytest.mark.parametrize("policy", ["deny", "deny_all", "warn"])
def test_no_alarm_is_lost(verdict: Verdict, policy: OnFault) -> None:
    alarmed = Verdict(verdict.decision, verdict.reason, alarm="One.")
    for harmless in (True, False):
        at_fault = fault(policy, harmless=harmless)
        loud = Verdict(at_fault.decision, at_fault.reason, alarm="Two.")
        assert under_fault(alarmed, loud).alarm == "One. Two."
