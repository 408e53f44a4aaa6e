"""The interventions in a run: why Handrail stepped in, what it did, whether it helped."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from handrail.cli.output.terminal import TerminalOutput, clip, columns, visible
from handrail.detect.registry import description_of
from handrail.intervene.registry import KINDS
from handrail.intervene.score import LADDER, level_of, score_of
from handrail.model import event as events
from handrail.model.event import Event, FindingMade
from handrail.model.intervention import Intervention, InterventionName
from handrail.words.amounts import count
from handrail.words.event_sentences import event_sentence
from handrail.words.interventions import (
    done_in_words,
    finding_in_words,
    incident_command,
    limits_in_words,
    steps_in_words,
)
from handrail.words.run_facts import RunFacts
from handrail.words.sentence import in_words
from handrail.words.times import clock_time, day

if TYPE_CHECKING:
    from handrail.cli.history.runs import KnownRun

_ACTION = 300


class TriedIntervention(msgspec.Struct):
    """An intervention and all later events about it."""

    intervened: events.Intervened
    actions: dict[str, list[int]]
    """The steps that show the finding, by action."""
    judged: events.InterventionJudged | None = None
    rolled_back: events.RolledBack | None = None
    stop: events.StopConfirmed | None = None
    resolved: events.IncidentResolved | None = None

    @property
    def done(self) -> Intervention:
        """The intervention itself."""
        return self.intervened.intervention


class InterventionStory:
    """The findings and interventions of a run, built from its events."""

    def __init__(self, log: Iterable[Event]) -> None:
        self.tried: dict[str, TriedIntervention] = {}
        self.findings: dict[str, FindingMade] = {}
        self.facts = RunFacts()
        self.ended = False
        for event in log:
            self._take(event)

    def _take(self, event: Event) -> None:
        self.facts.update(event)
        if isinstance(event, FindingMade):
            self.findings[event.finding.name] = event
        elif isinstance(event, events.Intervened):
            done = event.intervention
            self.tried[done.id] = TriedIntervention(event, self.facts.shown(done.finding.evidence))
        elif isinstance(event, events.InterventionJudged) and event.intervention in self.tried:
            self.tried[event.intervention].judged = event
        elif isinstance(event, events.RolledBack) and event.intervention in self.tried:
            self.tried[event.intervention].rolled_back = event
        elif isinstance(event, events.StopConfirmed):
            for tried in self._stops(event.incident):
                tried.stop = event
        elif isinstance(event, events.IncidentResolved):
            for tried in self._stops(event.incident):
                tried.resolved = event
        elif isinstance(event, events.RunEnded):
            self.ended = True

    def _stops(self, incident: str) -> list[TriedIntervention]:
        return [tried for tried in self.tried.values() if tried.done.incident == incident]

    @property
    def ignored(self) -> list[FindingMade]:
        """The findings without an intervention."""
        names = {tried.done.finding.name for tried in self.tried.values()}
        return [found for name, found in self.findings.items() if name not in names]

    def as_json(self, run: "KnownRun") -> dict[str, object]:
        """Describe the interventions for a program."""
        told = [
            {
                "at": tried.intervened.at,
                **msgspec.to_builtins(tried.done),
                "worked": tried.judged.worked if tried.judged else None,
                "judged": tried.judged,
                "rolled_back": tried.rolled_back,
                "stop": tried.stop,
                "resolved": tried.resolved,
            }
            for tried in self.tried.values()
        ]
        findings = list(self.findings.values())
        return {"run": run.id, "name": run.name, "interventions": told, "findings": findings}


def show_interventions(screen: TerminalOutput, run: "KnownRun", story: InterventionStory) -> None:
    """Print the findings and interventions of a run."""
    title = f"{run.name} · {_summary(story)}"
    when = day(story.facts.began)
    gap = screen.width - columns(visible(title)) - len(when) - 2
    screen.say(f" {clip(title, screen.width - 2)}{screen.paint(' ' * max(gap, 2) + when, 'dim')}")
    for number, tried in enumerate(story.tried.values(), 1):
        screen.say()
        _tell_one(screen, number, tried, story)
    if story.ignored:
        screen.say()
        found = [f"step {one.step}: {_found(one, story)}" for one in story.ignored]
        screen.field("Also seen", [*found, "Handrail did not step in."])


def _summary(story: InterventionStory) -> str:
    if not story.tried:
        found = count(len(story.findings), "finding")
        return f"{found}, no intervention" if story.findings else "no findings"
    judged = [tried.judged.worked for tried in story.tried.values() if tried.judged]
    parts = [
        count(len(story.tried), "intervention"),
        f"{sum(judged)} helped" if sum(judged) else "",
        f"{len(judged) - sum(judged)} did not" if len(judged) > sum(judged) else "",
        "stopped" if any(tried.done.incident for tried in story.tried.values()) else "",
    ]
    return " · ".join(filter(None, parts))


def _tell_one(
    screen: TerminalOutput, number: int, tried: TriedIntervention, story: InterventionStory
) -> None:
    done, facts = tried.done, story.facts
    head = f"{number}  {done_in_words(done)}, after step {done.step}"
    stops = done.means == InterventionName.EMERGENCY_STOP
    time = screen.paint(f"  {clock_time(tried.intervened.at)}", "dim")
    screen.say(f" {screen.paint(visible(head), 'red' if stops else 'bold')}{time}")
    shown = [
        clip(f"steps {steps_in_words(steps)}: {text}", _ACTION)
        for text, steps in tried.actions.items()
    ]
    meaning = description_of(done.finding.kind).meaning
    why = [finding_in_words(done.finding, facts.cwd), *filter(None, [meaning]), *shown]
    screen.field("Why", why)
    screen.field("Score", [score_in_words(done)])
    screen.field("Told", (done.guidance or "nothing").splitlines())
    if done.allowance:
        screen.field("Limits", [limits_in_words(done.allowance)])
    if done.limits:
        screen.field("Note", [done.limits])
    if tried.rolled_back:
        text = event_sentence(tried.rolled_back, facts).text
        screen.field("Files", [text], "red" if tried.rolled_back.problem else "")
    if tried.stop:
        text = event_sentence(tried.stop, facts).text
        screen.field("Stop", [text], "red" if tried.stop.left else "")
    if stops:
        screen.field("Incident", [incident_command(done.incident)])
    if tried.resolved:
        note = f": {tried.resolved.note}" if tried.resolved.note else ""
        screen.field("Decided", [in_words(tried.resolved.option) + note])
    elif not stops:
        screen.field("Helped", [_helped(tried, ended=story.ended)])


def _found(event: FindingMade, story: InterventionStory) -> str:
    return finding_in_words(event.finding, story.facts.cwd)


def _helped(tried: TriedIntervention, *, ended: bool) -> str:
    if tried.judged is None:
        return "unknown: the run ended too early" if ended else "unknown yet"
    word = "yes" if tried.judged.worked else "no"
    _, _, why = tried.judged.says.rstrip(".").partition(": ")
    return f"{word}: {why}" if why else word


def score_in_words(done: Intervention) -> str:
    """Explain the score and the choice of the intervention."""
    finding = done.finding
    parts = [f"{finding.severity}, {finding.confidence:.0%} sure"]
    if finding.impact:
        parts.append(f"{finding.impact:.0%} more for the possible damage")
    if done.escalation:
        more = done.score - score_of(finding)
        tries = "1 try" if done.escalation == 1 else f"{done.escalation} tries"
        parts.append(f"{more:.2f} more for {tries} without effect")
    return f"{done.score:.2f} ({'; '.join(parts)}): {_calls_for(done)}"


def _calls_for(done: Intervention) -> str:
    if done.means == InterventionName.EMERGENCY_STOP:
        if done.escalation:
            return "everything milder had failed"
        return "the next action could do harm, so Handrail tried nothing milder"
    allowed = LADDER[level_of(done.score)]
    phrase = KINDS[allowed].phrase or KINDS[allowed].label
    if allowed == done.means:
        return f"that calls for {phrase}"
    if done.means in LADDER and LADDER.index(done.means) > LADDER.index(allowed):
        if done.escalation:
            return "milder interventions had no effect"
        return "this is the mildest one that fits"
    return f"that allows up to {phrase}; this was the next one that fits"
