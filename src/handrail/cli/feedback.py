"""`handrail feedback`: a person says whether a verdict was right."""

from typing import TYPE_CHECKING
from urllib.parse import quote

import click
import msgspec

from handrail.cli import options
from handrail.cli.answer import shown_action
from handrail.cli.explain import find_story, run_events
from handrail.cli.jsonline import json_line
from handrail.cli.render import Screen, clip, wrap
from handrail.cli.runs import KnownRun, Runs, find_home, open_log
from handrail.model.event import ActionEnded, ActionReviewed, FeedbackGiven
from handrail.model.ordinal import Decision

if TYPE_CHECKING:
    from handrail.store.port import Store

_WORDS = {
    Decision.ALLOW: "was let through",
    Decision.WARN: "ran, with a warning",
    Decision.MODIFY: "was changed",
    Decision.BLOCK: "was stopped",
}


class Judged(msgspec.Struct, frozen=True):
    """How many refusals and changes of a run a person has judged."""

    right: int
    wrong: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.right + self.wrong

    @property
    def rate(self) -> float:
        """The false-positive rate."""
        return self.wrong / self.total if self.total else 0.0


@click.command()
@click.argument("name", metavar="RUN")
@click.argument("step", metavar="STEP")
@click.argument("verdict", type=click.Choice(["right", "wrong"]))
@click.option("--note", default="", metavar="TEXT", help="Why, for whoever tunes the rules.")
@options.json_option("Print JSON.")
@options.color_option
def command(name: str, step: str, verdict: str, note: str, as_json: bool) -> int:
    """Say whether Handrail judged a step rightly.

    What was stopped or changed and should not have been is a false positive. The
    share of these among all that you judged, or overruled, is what /metrics tells as
    `handrail_false_positive_rate`. The verdict itself is not changed by it.

    RUN and STEP are the same as for `handrail explain`.

    \b
    Examples:
      handrail feedback shop-3f2a 12 wrong --note 'build/ is made by make'
      handrail feedback last last-stopped right
    """
    from handrail.server.client import DaemonError, call
    from handrail.server.start import ensure_daemon

    options.by_a_person()
    home = find_home()
    with open_log(home) as store:
        run = Runs(store).find(name)
        event = find_story(store, run, step).reviewed
        try:
            ensure_daemon(home)
            path = f"/runs/{quote(run.id, safe='')}/feedback"
            given = {"step": event.step, "right": verdict == "right", "note": note}
            call(home, "POST", path, given)
        except DaemonError as error:
            raise click.ClickException(str(error)) from None
        judged = count_judged(store, run)
    if as_json:
        rate = {"judged": judged.total, "wrong": judged.wrong, "false_positive_rate": judged.rate}
        click.echo(json_line({"run": run.id, "name": run.name, **given, **rate}))
    else:
        tell(options.screen(), run, event, judged, right=verdict == "right")
    return 0


def count_judged(store: "Store", run: KnownRun) -> Judged:
    """The refusals and changes of a run by what a person said last of each."""
    stopped: set[int] = set()
    right: dict[int, bool] = {}
    for event in run_events(store, run):
        if isinstance(event, ActionReviewed) and event.verdict.decision.stops:
            stopped.add(event.step)
        elif isinstance(event, FeedbackGiven) and event.step in stopped:
            right[event.step] = event.right
        elif isinstance(event, ActionEnded) and event.overruled:
            right[event.step] = False
    return Judged(sum(right.values()), len(right) - sum(right.values()))


def tell(
    screen: Screen, run: KnownRun, event: ActionReviewed, judged: Judged, *, right: bool
) -> None:
    """Print what was noted, and what follows from it."""
    decision = event.verdict.decision
    text = clip(shown_action(event.action), screen.width // 2)
    word = "rightly" if right else "wrongly"
    head = f"Noted: step {event.step} of {run.name} {_WORDS[decision]}, {word}."
    for line in wrap(head, screen.width - 1):
        screen.say(f" {line}")
    screen.say(f"   {screen.paint(text, 'dim')}")
    for line in wrap(_consequence(decision, judged, right=right), screen.width - 1):
        screen.say(f" {line}")


def _consequence(decision: Decision, judged: Judged, *, right: bool) -> str:
    if decision.stops:
        return (
            f"Judged in this run: {judged.right} rightly, {judged.wrong} wrongly stopped or "
            f"changed, a false-positive rate of {judged.rate:.0%}."
        )
    if right:
        return "It ran, so the false-positive rate of what is stopped stays as it is."
    return (
        "It ran and should not have: a rule for it can stand in handrail.yaml "
        "(handrail config schema)."
    )
