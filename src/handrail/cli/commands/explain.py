"""`handrail explain`: the full story of one step, or of what was done about a run."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.cli import options
from handrail.cli.history.intervention_story import (
    InterventionStory,
    interventions_json,
    tell_interventions,
)
from handrail.cli.history.runs import LAST, KnownRun, KnownRuns, find_home, read_log
from handrail.cli.output.json_line import json_line
from handrail.cli.output.terminal import TerminalOutput, clip, columns, visible, wrap
from handrail.cli.output.verdict_text import explain_fully
from handrail.hosts import wording
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionReviewed,
    BreachFound,
    Event,
    FeedbackGiven,
    FindingMade,
    Intervened,
)
from handrail.model.ordinal import Decision
from handrail.store.decoding import decode
from handrail.store.errors import DamagedError
from handrail.words.actions import action_in_words
from handrail.words.interventions import done_in_words, finding_in_words
from handrail.words.times import clock_time, day, time_taken

if TYPE_CHECKING:
    from handrail.store.port import Store

LAST_STOPPED = "last-stopped"
_MAX_COMMAND = 8
_MAX_OUTPUT = 3


class StepStory(msgspec.Struct):
    """A step, and everything that was heard of it since."""

    reviewed: ActionReviewed
    ended: ActionEnded | None = None
    dropped: ActionDropped | None = None
    breaches: list[BreachFound] = []
    feedback: list[FeedbackGiven] = []
    findings: list[FindingMade] = []
    """Those that this step is evidence of, each as it was last."""
    interventions: list[Intervened] = []
    """Those that followed this step."""

    def add(self, event: Event) -> None:
        """Take in an event, if it is about this step."""
        if isinstance(event, FindingMade):
            self._find(event)
        elif isinstance(event, Intervened):
            if event.intervention.step == self.reviewed.step:
                self.interventions.append(event)
        else:
            self._add(event)

    def _find(self, event: FindingMade) -> None:
        if self.reviewed.step in event.finding.evidence:
            others = [one for one in self.findings if one.finding.name != event.finding.name]
            self.findings = [*others, event]

    def _add(self, event: Event) -> None:
        if isinstance(event, ActionReviewed) or getattr(event, "step", 0) != self.reviewed.step:
            return
        if isinstance(event, ActionEnded):
            self.ended = event
        elif isinstance(event, ActionDropped):
            self.dropped = event
        elif isinstance(event, BreachFound):
            self.breaches.append(event)
        elif isinstance(event, FeedbackGiven):
            self.feedback.append(event)


@click.command()
@click.argument("name", default=LAST, metavar="[RUN]")
@click.argument("step", default="", metavar="[STEP]")
@click.option("--step", "chosen", default="", metavar="STEP", help="The same as the argument.")
@click.option(
    "--interventions",
    is_flag=True,
    help="What was found in the run, what was done about it, and whether it helped.",
)
@options.json_option("Print JSON: the stored events.")
@options.color_option
def command(name: str, step: str, chosen: str, interventions: bool, as_json: bool) -> int:
    """Tell the full story of one step of a run, or of why Handrail stepped in.

    Of a step: what the action was, how Handrail understood it, what was decided and
    why, what the agent was told, what came of it, and the findings that it is part
    of. Of the interventions: why there was one, what it said word for word, and
    whether it helped.

    RUN is a name as in `handrail status`, STEP the number before an action in
    `handrail log`, or `last`, or `last-stopped`. Without a STEP it is the story of
    the interventions, if there were any, else of the last step.

    \b
    Examples:
      handrail explain shop-3f2a 12
      handrail explain last last-stopped
      handrail explain shop --interventions
      handrail explain shop --step 12 --json
    """
    if (step and chosen) or (interventions and (step or chosen)):
        raise click.UsageError("give one of STEP, --step and --interventions")
    step = step or chosen
    with read_log(find_home()) as store:
        run = KnownRuns(store).find(name)
        if not step:
            course = InterventionStory(run_events(store, run))
            if interventions or course.tried:
                _give_course(run, course, as_json=as_json)
                return 0
        story = find_story(store, run, step or LAST)
    if as_json:
        _print_json(run, story)
    else:
        tell(options.screen(), run, story)
    return 0


def _give_course(run: KnownRun, course: InterventionStory, *, as_json: bool) -> None:
    if as_json:
        click.echo(interventions_json(run, course))
    else:
        tell_interventions(options.screen(), run, course)


def find_story(store: "Store", run: KnownRun, step: str) -> StepStory:
    """The step that a person means; else an error that helps."""
    wanted = step if step in (LAST, LAST_STOPPED) else _number(step)
    story: StepStory | None = None
    steps = 0
    for event in run_events(store, run):
        if isinstance(event, ActionReviewed):
            steps = max(steps, event.step)
            if _is_wanted(event, wanted):
                story = StepStory(event)
        elif story is not None:
            story.add(event)
    if story is None:
        raise click.ClickException(_missing(run, step, steps))
    return story


def run_events(store: "Store", run: KnownRun) -> Iterable[Event]:
    """The events of a run; those that cannot be read are left out."""
    after = 0
    while page := store.read(run.topic, after):
        for stored in page:
            try:
                yield decode(stored)
            except DamagedError:
                continue
        after = page[-1].seq


def _is_wanted(event: ActionReviewed, wanted: "str | int") -> bool:
    if wanted == LAST_STOPPED:
        return event.verdict.decision is Decision.BLOCK
    return wanted in (LAST, event.step)


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise click.UsageError(
            f"STEP is a number, `last` or `last-stopped`, not {text!r}"
        ) from None


def _missing(run: KnownRun, step: str, steps: int) -> str:
    if not steps:
        return f"{run.name} has taken no step yet"
    if step == LAST_STOPPED:
        return f"nothing was stopped in {run.name}"
    return f"{run.name} has no step {step}; it has {steps}"


def tell(screen: TerminalOutput, run: KnownRun, story: StepStory) -> None:
    """Print the story."""
    event = story.reviewed
    title = f"{run.name} · step {event.step} · {event.action.tool}"
    when = f"{day(event.at)}, {clock_time(event.at)}"
    gap = screen.width - columns(visible(title)) - len(when) - 2
    screen.say(f" {clip(title, screen.width - 2)}{screen.paint(' ' * max(gap, 2) + when, 'dim')}")
    screen.say()
    command = action_in_words(event.action)
    if [step.text for step in event.review.steps] not in ([], [command]):
        for line in wrap(command, screen.width - 3, limit=_MAX_COMMAND):
            screen.say(f"   {line}")
        screen.say()
    explain_fully(screen, event.action, event.review, event.verdict)
    screen.field("Told", _told(event))
    screen.field("Outcome", _outcome(story), limit=4)
    for breach in story.breaches:
        screen.field("BREACH", [breach.says], "red")
    screen.field("Part of", [finding_in_words(one.finding) for one in story.findings], "yellow")
    for made in story.interventions:
        first, *rest = (made.intervention.guidance or "nothing was said").splitlines()
        screen.field("Then", [f"{done_in_words(made.intervention)}: {first}", *rest])
    for given in story.feedback:
        said = "right" if given.right else "wrong"
        if given.finding:
            said = f"{given.finding} was {said}"
        screen.field("Feedback", [f"{said}: {given.note}" if given.note else said])


def _told(event: ActionReviewed) -> list[str]:
    """What the agent read, word for word, or the person who was asked in its place."""
    text = told_text(event)
    if not text:
        return ["nothing; it just ran"]
    lines = text.splitlines()
    return [f"(the person who was asked) {lines[0]}", *lines[1:]] if event.asked else lines


def told_text(event: ActionReviewed) -> str:
    """The words that the host got with the verdict."""
    return wording.told(event.verdict, ask=event.asked)


def _outcome(story: StepStory) -> list[str]:
    event, ended = story.reviewed, story.ended
    if story.dropped is not None:
        who = "the person who was asked refused it" if event.asked else "it was not run"
        return [f"{who}: {story.dropped.says}" if story.dropped.says else who]
    if ended is None:
        if event.asked:
            return ["a person was asked; no answer is known"]
        stopped = event.verdict.decision is Decision.BLOCK
        return ["it did not run" if stopped else "not known: it still runs, or the session ended"]
    outcome = ended.outcome
    how = "it worked" if outcome.ok else "it failed"
    code = None if outcome.exit_code is None else f"exit code {outcome.exit_code}"
    over = "a person let it run" if ended.overruled else None
    facts = ", ".join(filter(None, (how, code, time_taken(outcome.duration_ms), over)))
    lines = (outcome.error or outcome.output).strip().splitlines()
    said = [line for line in lines if line != f"Exit code {outcome.exit_code}"][-_MAX_OUTPUT:]
    files = [f"made {path}" for path in ended.created] + [f"changed {p}" for p in ended.changed]
    return [facts, *said, *files]


def _print_json(run: KnownRun, story: StepStory) -> None:
    told = {"run": run.id, "name": run.name, "step": story.reviewed.step}
    said = {**told, **msgspec.structs.asdict(story), "told": told_text(story.reviewed)}
    click.echo(json_line(said))
