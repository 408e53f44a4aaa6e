"""Hallucinations: missing files, modules, commands and texts, and false claims."""

from collections import Counter
from typing import ClassVar, Literal

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.deed_claims import SAYS, Deed, deeds_claimed, deeds_of
from handrail.detect.description import (
    GO_BACK,
    IMAGINING,
    LOST,
    FindingDescription,
    paragraphs,
)
from handrail.detect.detector import Detector
from handrail.detect.missing_things import Sort, missing_thing_in
from handrail.detect.test_claims import claims_tests_pass
from handrail.detect.test_runs import tests_passed
from handrail.detect.text_hashes import SIZE, text_hash
from handrail.model.action import SHELL_TOOLS
from handrail.model.check_commands import is_test_run, runs_code
from handrail.model.effect import UNNAMED_KINDS, Kind
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_WINDOW = 20
"""Steps within which missing things belong together."""
_MOST_KNOWN = 384
_NEAR = 32
"""Newest names that are not noted again."""
_SLIP = 0.5
"""Confidence for a text missing in a file that the agent has read: probably misquoted."""
_MEDIUM, _HIGH = 2, 4
"""Additional missing things for a higher severity."""
_WHAT: dict[Sort, str] = {
    "file": "the file {}",
    "module": "the module {}",
    "command": "the command {}",
    "text": "text in {}",
}
_OUT_OF_SIGHT = UNNAMED_KINDS | {Kind.DELEGATE}
Tested = Literal["", "maybe", "passed", "failed"]


class Missed(msgspec.Struct, frozen=True, gc=False):
    """One missing thing."""

    step: int
    deed: int
    """The number of the step in this detector."""
    agent: str
    sort: Sort
    name: str
    call: str
    """The call, for a text: each missing text in a file counts."""
    weight: float


class HallucinationDetector(Detector):
    """Things missed lately, names known to exist, and the result of the last tests."""

    kind: ClassVar[str] = "hallucination"
    order: ClassVar[int] = 9
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Made things up",
        meaning="The agent relies on missing things, or falsely claims that tests pass.",
        fitting=GO_BACK,
        pattern=IMAGINING,
        hints=paragraphs("""
            You said that {claim}, but nothing in this run shows it. Run what proves it, read its
            result, and report that result, even if it is not what you hoped for.

            Not there: {things} (steps {steps}). Do not guess the next name: list the folder or
            search for it, and go on with what is really there.

            {says} You are working from memory instead of from what is here. Look first (list,
            search, read), then act on what you saw.

            {says} Before you use a file, a module, a command or a line of text, check that it is
            there. Say which of your assumptions were wrong.
        """),
        constraint="Check that something is there before you use it, and report only what you "
        "have seen.",
        example="List the folder, then open `settings.py`, which is there, instead of "
        "`config.py`, which is not.",
        plan="lost_context",
        advice=LOST,
    )
    missed: list[Missed] = msgspec.field(default_factory=list)
    """The missing things within the window."""
    known: bytes = b""
    """Hashes of the names of files that were read or written, the newest last: a deleted file is
    not made up."""
    deeds: int = 0
    last: int = 0
    """The number of the last step."""
    agent: str = ""
    tested: Tested = ""
    test_step: int = 0
    claimed: bool = False
    """The agent just said that the tests pass."""
    deeds_done: dict[Deed, bool] = msgspec.field(default_factory=dict)
    """By deed, whether the last step for it worked."""
    ran_code: bool = False
    """The run has run a program that may have done anything, out of sight."""
    claims: tuple[str, ...] = ()
    """What the agent just said, though the record or the disk contradicts it."""

    def see(self, done: CompletedStep) -> None:
        """Note missing things and test results."""
        self.deeds += 1
        if self.missed and self.missed[0].deed <= self.deeds - _WINDOW:
            del self.missed[0]
        intent = done.intent
        self.last, self.agent, self.claimed, self.claims = done.step, intent.agent, False, ()
        if done.ending in ("refused", "dropped"):
            return
        if intent.tool.lower() in SHELL_TOOLS:
            self._note_tests(done)
            self._note_deeds(intent.shown, done)
        elif intent.tool.startswith("mcp__"):
            self._note_deeds(intent.tool, done)
        absence = missing_thing_in(done) if done.ending == "failed" else None
        if absence is not None:
            self._miss(done, absence.sort, absence.name)
        elif intent.reads or intent.writes or done.changed:
            self._know(done)

    def heard(self, text: str) -> None:
        """Note a claim."""
        self.claimed = claims_tests_pass(text)
        self.claims = tuple(map(self._contradiction, self._unproven(text)))

    def contradicted(self, claims: tuple[str, ...]) -> None:
        """Note claims that the disk contradicts."""
        self.claims += claims

    def find(self, settings: Detection) -> Finding | None:
        """Report a false claim, or one more missing thing."""
        found = (self._claim() if self.claimed else None) or self._false_deed()
        if found is not None or self.claimed:
            return found
        if not self.missed or self.missed[-1].deed != self.deeds:
            return None
        return self.lately(settings)

    def lately(self, settings: Detection) -> Finding | None:
        """Report several missing things."""
        found = {
            (each.sort, each.name, each.call): each
            for each in self.missed
            if each.agent == self.agent
        }
        least = settings.hallucination.min_occurrences
        points = sum(each.weight for each in found.values())
        if points < least:
            return None
        missed = list(found.values())
        severity = Severity.MEDIUM if points >= least + _MEDIUM else Severity.LOW
        severity = Severity.HIGH if points >= least + _HIGH else severity
        names = Counter(_WHAT[each.sort].format(each.name) for each in missed)
        things = ", ".join(
            f"{name} ({times} times)" if times > 1 else name for name, times in names.items()
        )
        confidence = round(min(0.4 + 0.1 * points, 0.95), 2)
        steps, sort = tuple(sorted(each.step for each in missed)), missed[-1].sort
        says = f"It relied on what is not there: {things}."
        facts = {"things": things, "times": str(len(missed))}
        return Finding(self.kind, severity, confidence, steps, says=says, symptom=sort, facts=facts)

    def _claim(self) -> Finding | None:
        if self.tested in ("passed", "maybe"):
            return None
        failed = bool(self.tested)
        said = "though the last run of tests failed" if failed else "though none were run"
        says = f"It said that the tests pass, {said}."
        steps = dict.fromkeys((self.test_step, self.last) if failed else (self.last,))
        shown = tuple(steps) if self.deeds else ()
        facts = {"claim": "the tests pass", "tests": self.tested or "none"}
        sure = 0.8 if failed else 0.6
        return Finding(self.kind, Severity.MEDIUM, sure, shown, 0.3, says, "claim", facts)

    def _unproven(self, text: str) -> list[Deed]:
        """Return the claimed deeds that no step of the run can have done."""
        if not self.deeds:  # it may speak of a time before this run
            return []
        claimed = sorted(deeds_claimed(text))
        return [deed for deed in claimed if not self.deeds_done.get(deed, self.ran_code)]

    def _contradiction(self, deed: Deed) -> str:
        claim, undone, failed = SAYS[deed]
        return f"{claim}, though {failed if deed in self.deeds_done else undone}"

    def _false_deed(self) -> Finding | None:
        if not self.claims:
            return None
        claim = self.claims[0].partition(",")[0]
        says = f"It said that {self.claims[0]}."
        shown = (self.last,) if self.deeds else ()
        facts = {"claim": claim, "claims": str(len(self.claims))}
        return Finding(self.kind, Severity.MEDIUM, 0.7, shown, 0.3, says, "claim", facts)

    def _note_deeds(self, call: str, done: CompletedStep) -> None:
        for deed in deeds_of(call):
            self.deeds_done[deed] = done.ending == "ok"
        if not self.ran_code and not _OUT_OF_SIGHT.isdisjoint(done.intent.kinds):
            self.ran_code = not is_test_run(call)

    def _note_tests(self, done: CompletedStep) -> None:
        if is_test_run(done.intent.shown):
            self.tested, self.test_step = (
                ("passed" if tests_passed(done) else "failed"),
                done.step,
            )
        elif not self.tested and runs_code(done.intent.shown):
            self.tested, self.test_step = "maybe", done.step

    def _know(self, done: CompletedStep) -> None:
        intent = done.intent
        for path in (*intent.reads, *intent.writes, *done.changed[:8]):
            name = text_hash(path.rpartition("/")[2])
            if name not in self.known[-SIZE * _NEAR :]:
                self.known = (self.known + name)[-SIZE * _MOST_KNOWN :]

    def _miss(self, done: CompletedStep, sort: Sort, name: str) -> None:
        names = name.rpartition("/")[2], f"{name.partition('.')[0]}.py"
        known = any(text_hash(each) in self.known for each in names)
        if known and sort != "text":
            return
        weight = _SLIP if known else 1.0
        call = done.intent.call if sort == "text" else ""
        self.missed.append(Missed(done.step, self.deeds, self.agent, sort, name, call, weight))
