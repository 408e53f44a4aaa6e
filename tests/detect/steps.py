"""Deeds as tests need them."""

import msgspec

from handrail.config.detection import Detection
from handrail.detect import CompletedStep, Intent, RunDetectors
from handrail.detect.completed_step import Ending, completed_step
from handrail.detect.detector import Detector
from handrail.model.action import Outcome
from handrail.model.finding import Finding

USUAL = Detection()
NOTHING = Intent("Bash", "call", "true")


def did(
    step: int,
    *,
    tool: str = "Bash",
    shown: str = "true",
    reads: tuple[str, ...] = (),
    writes: tuple[str, ...] = (),
    says: str = "",
    ok: bool = True,
    at: float | None = None,
    agent: str = "",
    **more: object,
) -> CompletedStep:
    """A deed that was done; `more` are fields of its intent or its outcome."""
    intent = Intent(tool, f"{tool} {shown} {reads} {writes}", shown, reads, writes, agent=agent)
    outcome = Outcome(ok, output=says if ok else "", error="" if ok else says)
    for name, value in more.items():
        if name in Intent.__struct_fields__:
            intent = msgspec.structs.replace(intent, **{name: value})
        else:
            outcome = msgspec.structs.replace(outcome, **{name: value})
    return completed_step(step, float(step) if at is None else at, intent, outcome)


def not_done(step: int, ending: Ending, intent: Intent = NOTHING) -> CompletedStep:
    """A deed that was refused."""
    return CompletedStep(step, float(step), intent, ending)


def found(
    detector: Detector, deeds: list[CompletedStep], settings: Detection = USUAL
) -> list[Finding | None]:
    """What is found after each deed."""
    findings = []
    for deed in deeds:
        detector.see(deed)
        findings.append(detector.find(settings))
    return findings


def watched(deeds: list[CompletedStep], settings: Detection = USUAL) -> list[Finding]:
    """What all detectors found, after all deeds."""
    watch = RunDetectors()
    for deed in deeds:
        watch.see(deed)
    return watch.findings(settings)


def only(findings: list[Finding | None]) -> Finding:
    """The one finding among several answers."""
    (finding,) = filter(None, findings)
    return finding
