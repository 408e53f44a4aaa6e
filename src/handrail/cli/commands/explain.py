"""`handrail explain`: tell the story of one step, or of the interventions in a run."""

from collections.abc import Iterable

import click
import msgspec

from handrail.cli import options
from handrail.cli.history.intervention_story import InterventionStory, show_interventions
from handrail.cli.history.runs import LAST, KnownRun, KnownRuns, find_home, read_log
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, columns, visible, wrap
from handrail.cli.output.verdict_text import explain_verdict_fully
from handrail.hosts import wording
from handrail.model import event as events
from handrail.model.event import ActionReviewed, Event
from handrail.model.ordinal import Decision
from handrail.store.decoding import decode
from handrail.store.errors import DamagedError
from handrail.store.port import Store
from handrail.words.actions import action_in_words
from handrail.words.interventions import done_in_words, finding_in_words
from handrail.words.times import clock_time, day, time_taken

LAST_STOPPED = "last-stopped"
_MAX_COMMAND = 8
_MAX_OUTPUT = 3


class StepStory(msgspec.Struct):
    """A step and all later events about it."""

    reviewed: ActionReviewed
    ended: events.ActionEnded | None = None
    dropped: events.ActionDropped | None = None
    after: events.AfterReviewed | None = None
    breaches: list[events.BreachFound] = []
    feedback: list[events.FeedbackGiven] = []
    findings: list[events.FindingMade] = []
    """The latest version of each finding that names this step as evidence."""
    interventions: list[events.Intervened] = []
    """The interventions right after this step."""

    def add(self, event: Event) -> None:
        """Remember an event if it is about this step."""
        step = self.reviewed.step
        if isinstance(event, events.FindingMade):
            if step in event.finding.evidence:
                others = [one for one in self.findings if one.finding.name != event.finding.name]
                self.findings = [*others, event]
        elif isinstance(event, events.Intervened):
            if event.intervention.step == step:
                self.interventions.append(event)
        elif getattr(event, "step", 0) != step:
            return
        elif isinstance(event, events.ActionEnded):
            self.ended = event
        elif isinstance(event, events.ActionDropped):
            self.dropped = event
        elif isinstance(event, events.AfterReviewed):
            self.after = event
        elif isinstance(event, events.BreachFound):
            self.breaches.append(event)
        elif isinstance(event, events.FeedbackGiven):
            self.feedback.append(event)


@click.command()
@click.argument("name", default=LAST, metavar="[RUN]")
@click.argument("step", default="", metavar="[STEP]")
@click.option("--step", "chosen", default="", metavar="STEP", help="Same as the argument.")
@click.option(
    "--interventions",
    is_flag=True,
    help="Show findings, interventions, and whether they helped.",
)
@options.json_option("Print the stored events as JSON.")
@options.color_option
def command(name: str, step: str, chosen: str, interventions: bool, as_json: bool) -> int:
    """Explain one step of a run, or why Handrail stepped in.

    For a step you see the action, how Handrail understood it, the decision and its
    reasons, what the agent was told, the outcome, and related findings. For an
    intervention you see the cause, the exact message to the agent, and whether it
    helped.

    RUN is a name from `handrail status`. STEP is a number from `handrail log`, or
    `last`, or `last-stopped`. Without a STEP, Handrail explains the interventions,
    or the last step if there were none.

    \b
    Examples:
      handrail explain shop-3f2a 12
      handrail explain last last-stopped
      handrail explain shop --interventions
      handrail explain shop --step 12 --json
    """
    if (step and chosen) or (interventions and (step or chosen)):
        raise click.UsageError("use only one of STEP, --step and --interventions")
    step = step or chosen
    with read_log(find_home()) as store:
        run = KnownRuns(store).find(name)
        if not step:
            told = InterventionStory(run_events(store, run))
            if interventions or told.tried:
                if as_json:
                    print_json(told.as_json(run))
                else:
                    show_interventions(options.screen(), run, told)
                return 0
        story = find_story(store, run, step or LAST)
    if as_json:
        _print_json(run, story)
    else:
        show_step(options.screen(), run, story)
    return 0


def find_story(store: Store, run: KnownRun, step: str) -> StepStory:
    """Find the step that the user means."""
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


def run_events(store: Store, run: KnownRun) -> Iterable[Event]:
    """Read the events of a run, without those that cannot be decoded."""
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
        says = f"STEP must be a number, `last` or `last-stopped`, not {text!r}"
        raise click.UsageError(says) from None


def _missing(run: KnownRun, step: str, steps: int) -> str:
    if not steps:
        return f"{run.name} has no steps yet"
    if step == LAST_STOPPED:
        return f"Handrail stopped nothing in {run.name}"
    return f"{run.name} has no step {step}; the last one is {steps}"


def show_step(screen: TerminalOutput, run: KnownRun, story: StepStory) -> None:
    """Print the story of a step."""
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
    explain_verdict_fully(screen, event.action, event.review, event.verdict)
    screen.field("Told", _told(event))
    screen.field("Outcome", _outcome(story), limit=4)
    if story.after is not None:
        risk = story.after.review.risk
        again = [*story.after.differences, *story.after.review.reasons]
        screen.field("After", [f"risk {risk.score:.2f} {risk.severity}", *again], "yellow")
    for breach in story.breaches:
        screen.field("BREACH", [breach.says], "red")
    screen.field("Part of", [finding_in_words(one.finding) for one in story.findings], "yellow")
    for made in story.interventions:
        first, *rest = (made.intervention.guidance or "no message").splitlines()
        screen.field("Then", [f"{done_in_words(made.intervention)}: {first}", *rest])
    for given in story.feedback:
        said = "right" if given.right else "wrong"
        if given.finding:
            said = f"{given.finding} was {said}"
        screen.field("Feedback", [f"{said}: {given.note}" if given.note else said])


def _told(event: ActionReviewed) -> list[str]:
    """Return what the agent read, or what the host asked a person instead."""
    text = told_text(event)
    if not text:
        return ["nothing"]
    lines = text.splitlines()
    return [f"(a person was asked) {lines[0]}", *lines[1:]] if event.asked else lines


def told_text(event: ActionReviewed) -> str:
    """Return the text that the host got with the verdict."""
    return wording.told(event.verdict, ask=event.asked)


def _outcome(story: StepStory) -> list[str]:
    event, ended = story.reviewed, story.ended
    if story.dropped is not None:
        who = "a person refused it" if event.asked else "it did not run"
        return [f"{who}: {story.dropped.says}" if story.dropped.says else who]
    if ended is None:
        if event.asked:
            return ["the host asked a person; the answer is unknown"]
        stopped = event.verdict.decision is Decision.BLOCK
        return ["it did not run" if stopped else "unknown: it still runs, or the session ended"]
    outcome = ended.outcome
    how = "succeeded" if outcome.ok else "failed"
    code = None if outcome.exit_code is None else f"exit code {outcome.exit_code}"
    over = "a person allowed it" if ended.overruled else None
    facts = ", ".join(filter(None, (how, code, time_taken(outcome.duration_ms), over)))
    lines = (outcome.error or outcome.output).strip().splitlines()
    said = [line for line in lines if line != f"Exit code {outcome.exit_code}"][-_MAX_OUTPUT:]
    files = [f"made {path}" for path in ended.created] + [f"changed {p}" for p in ended.changed]
    return [facts, *said, *files]


def _print_json(run: KnownRun, story: StepStory) -> None:
    told = {"run": run.id, "name": run.name, "step": story.reviewed.step}
    print_json({**told, **msgspec.structs.asdict(story), "told": told_text(story.reviewed)})
