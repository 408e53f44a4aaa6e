"""`handrail feedback`: a person tells whether a verdict or a finding was right."""

import click
import msgspec

from handrail.api.messages.statistics import FeedbackRequest
from handrail.cli import options
from handrail.cli.commands.explain import find_story, run_events
from handrail.cli.daemon_request import ready_api
from handrail.cli.history.runs import KnownRun, KnownRuns, find_home, read_log
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad
from handrail.detect.precision import FeedbackTally, Precision, last_finding, precision_of
from handrail.model.event import ActionReviewed, FindingMade
from handrail.model.ordinal import Decision
from handrail.server.home import Home
from handrail.store.port import Store
from handrail.views.run_counts import count_run
from handrail.words.actions import action_in_words
from handrail.words.amounts import count
from handrail.words.sentence import in_words

_VERDICTS = click.Choice(["right", "wrong"])
_NUMBERS = 30
_WORDS = {Decision.ALLOW: "allowed", Decision.WARN: "warned about", Decision.MODIFY: "changed",
          Decision.BLOCK: "stopped"}  # fmt: skip


class FeedbackCount(msgspec.Struct, frozen=True):
    """How many stopped or changed actions people called right or wrong."""

    right: int
    wrong: int

    @property
    def total(self) -> int:
        """The number of judged actions."""
        return self.right + self.wrong

    @property
    def rate(self) -> float:
        """The false-positive rate."""
        return self.wrong / self.total if self.total else 0.0


@click.command()
@click.argument("words", nargs=-1, metavar="[RUN [STEP] right|wrong]")
@click.option("--finding", "kind", default="", metavar="KIND", help="Judge a finding: loop …")
@click.option("--note", default="", metavar="TEXT", help="Why. Helps to tune the rules.")
@options.json_option("Print JSON.")
@options.color_option
def command(words: tuple[str, ...], kind: str, note: str, as_json: bool) -> int:
    """Tell Handrail whether it judged a step, or found a problem, correctly.

    A step that Handrail stopped or changed without need is a false positive. The
    daemon's /metrics reports their share as `handrail_false_positive_rate`. With
    --finding and no STEP, you judge the last finding of that kind in the run. Your
    feedback does not change how Handrail decides.

    RUN and STEP are the same as for `handrail explain`. Without them, Handrail shows
    how often its verdicts and findings were right so far.

    \b
    Examples:
      handrail feedback shop-3f2a 12 wrong --note 'build/ is made by make'
      handrail feedback last last-stopped right
      handrail feedback shop --finding loop wrong --note 'it polled a queue'
      handrail feedback
    """
    if not words:
        _list(as_json=as_json)
        return 0
    name, step, verdict = _read(words, with_step=not kind)
    options.by_a_person()
    home = find_home()
    with read_log(home) as store:
        run = KnownRuns(store).find(name)
        if kind:
            made = find_finding(store, run, kind, step)
            given = _give(home, run, made.step, verdict, note, kind)
            tally = precision_of(run_events(store, run)).kinds[kind]
            if as_json:
                print_json({**given, **_tally_json(tally)})
            else:
                show_finding(options.screen(), run, made, tally, right=verdict == "right")
            return 0
        event = find_story(store, run, step).reviewed
        given = _give(home, run, event.step, verdict, note)
        judged = count_judged(store, run)
    if as_json:
        rate = {"judged": judged.total, "wrong": judged.wrong, "false_positive_rate": judged.rate}
        print_json({**given, **rate})
    else:
        show_verdict(options.screen(), run, event, judged, right=verdict == "right")
    return 0


def _read(words: tuple[str, ...], *, with_step: bool) -> tuple[str, str, str]:
    """Return the run, the step (or "") and the verdict."""
    if len(words) not in ((3,) if with_step else (2, 3)):
        usage = "RUN STEP right|wrong, or RUN --finding KIND right|wrong"
        raise click.UsageError(f"give {usage if with_step else 'RUN [STEP] right|wrong'}")
    *place, verdict = words
    _VERDICTS.convert(verdict, None, click.get_current_context())
    return place[0], place[1] if len(place) > 1 else "", verdict


def _give(
    home: Home, run: KnownRun, step: int, verdict: str, note: str, kind: str = ""
) -> dict[str, object]:
    """Let the daemon record the feedback, and return it."""
    right = verdict == "right"
    with ready_api(home, "recording it") as api:
        api.give_feedback(run.id, FeedbackRequest(right, step, kind, note))
    given = {"run": run.id, "name": run.name, "step": step, "right": right, "note": note}
    return {**given, "finding": kind} if kind else given


def find_finding(store: Store, run: KnownRun, kind: str, step: str) -> FindingMade:
    """Find the last finding of a kind, or the last one that names `step` as evidence."""
    if step and not step.isdecimal():
        raise click.UsageError(f"with --finding, STEP must be a number, not {step!r}")
    found, kinds = last_finding(run_events(store, run), kind, int(step or 0))
    if found is None:
        there = f"it has {', '.join(kinds)}" if kinds else "it has no findings"
        where = f" with step {step}" if step else ""
        raise click.ClickException(f"{run.name} has no finding {kind!r}{where}; {there}")
    return found


def _list(*, as_json: bool) -> None:
    """Show all feedback so far."""
    right = wrong = 0
    precision = Precision()
    with read_log(find_home()) as store:
        for run in KnownRuns(store):
            counts = count_run(store, run.topic)
            right, wrong = right + counts.right, wrong + counts.wrong
            precision.add(run.id, counts.judged_findings)
    judged = FeedbackCount(right, wrong)
    if as_json:
        findings = {kind: _tally_json(tally) for kind, tally in precision.kinds.items()}
        verdicts = {"right": right, "wrong": wrong}
        rate = {"false_positive_rate": judged.rate}
        print_json({"verdicts": verdicts, **rate, "findings": findings})
    else:
        show_all(options.screen(), judged, precision)


def show_all(screen: TerminalOutput, judged: FeedbackCount, precision: Precision) -> None:
    """Print how often verdicts and findings were right."""
    if not judged.total and not precision.kinds:
        screen.say(" No feedback yet. Give some: handrail feedback RUN STEP right|wrong")
        return
    rows = [("stopped or changed", judged.right, judged.wrong)] if judged.total else []
    rows += [
        (f"finding {kind}", tally.confirmed, tally.false_alarms)
        for kind, tally in sorted(precision.kinds.items())
    ]
    names = [clip(name, screen.width - _NUMBERS) for name, _, _ in rows]
    width = max(map(columns, names))
    screen.say(screen.paint(f" {' ' * width}   right   wrong   precision", "dim"))
    for name, (_, right, wrong) in zip(names, rows, strict=True):
        share = right / (right + wrong)
        screen.say(f" {pad(name, width)}{right:>8,}{wrong:>8,}{share:>12.0%}")


def _tally_json(tally: FeedbackTally) -> dict[str, object]:
    return {
        "confirmed": tally.confirmed,
        "false_alarms": tally.false_alarms,
        "precision": tally.precision,
    }


def show_finding(
    screen: TerminalOutput, run: KnownRun, made: FindingMade, tally: FeedbackTally, *, right: bool
) -> None:
    """Print the feedback on a finding."""
    finding = made.finding
    word = "right" if right else "a false alarm"
    screen.say(f" Noted: {clip(f'{in_words(finding.kind)} in {run.name} was {word}.', 70)}")
    screen.paragraph(finding.says, "dim", indent=3, limit=2)
    share = f"{tally.precision:.0%}" if tally.precision is not None else "?"
    screen.say(
        f" In this run: {tally.confirmed} right, {count(tally.false_alarms, 'false alarm')}, "
        f"precision {share}."
    )


def count_judged(store: Store, run: KnownRun) -> FeedbackCount:
    """Count the stopped and changed actions of a run by the latest feedback on each."""
    counts = count_run(store, run.topic)
    return FeedbackCount(counts.right, counts.wrong)


def show_verdict(
    screen: TerminalOutput,
    run: KnownRun,
    event: ActionReviewed,
    judged: FeedbackCount,
    *,
    right: bool,
) -> None:
    """Print the feedback on a verdict and its consequence."""
    decision = event.verdict.decision
    text = clip(action_in_words(event.action), screen.width // 2)
    word = "rightly" if right else "wrongly"
    screen.paragraph(f"Noted: Handrail {word} {_WORDS[decision]} step {event.step} of {run.name}.")
    screen.say(f"   {screen.paint(text, 'dim')}")
    screen.paragraph(consequence(decision, judged, right=right))


def consequence(decision: Decision, judged: FeedbackCount, *, right: bool) -> str:
    """Return what follows from feedback on a verdict, and what else the person can do."""
    if decision.stops:
        return (
            f"In this run: {judged.right} rightly and {judged.wrong} wrongly stopped or changed, "
            f"false-positive rate {judged.rate:.0%}."
        )
    if right:
        return "It ran, so the false-positive rate does not change."
    does = "stops it" if decision is Decision.ALLOW else "allows it without a warning, or stops it,"
    return (
        f"You can add a rule to handrail.yaml that {does} next time: handrail config schema "
        "describes rules."
    )
