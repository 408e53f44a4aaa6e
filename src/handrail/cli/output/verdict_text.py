"""A review for a person: the decision first, then the details."""

import re
from collections.abc import Sequence

from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad, visible, wrap
from handrail.model.action import Action
from handrail.model.effect import Effect
from handrail.model.ordinal import Decision
from handrail.model.review import CommandStep, Review, Verdict
from handrail.words.actions import action_in_words, effect_in_words

_COMMAND = 30
_SHORT = 20
_ROOMY = 70
_MAX_STEPS = 12
_MAX_REASONS = 4
_MAX_EFFECTS = 8
_MARK = " ← this"
_TO_SAVE = "a live session takes a checkpoint first, and refuses it if there can be none"
_SAVED = "Handrail took a checkpoint before it ran"


def explain_verdict(screen: TerminalOutput, action: Action, review: Review) -> None:
    """Print a review in short."""
    _head(screen, review.decision, review)
    if review.decision is Decision.ALLOW:
        _in_short(screen, action, review)
        return
    _body(screen, action, review)
    if review.decision.stops:
        _details(screen, review)


def explain_verdict_fully(
    screen: TerminalOutput, action: Action, review: Review, verdict: Verdict
) -> None:
    """Print a review in full, and the verdict where it is stricter."""
    _head(screen, verdict.decision, review)
    beyond = verdict.reason if verdict.decision > review.decision else ""
    _body(screen, action, review, beyond, first=_SAVED)
    _effects(screen, review.effects)
    _details(screen, review)


def _head(screen: TerminalOutput, decision: Decision, review: Review) -> None:
    badge = screen.paint(f" {decision.value.upper()} ", decision.value)
    screen.say(f"{badge}  risk {review.risk.score:.2f} {review.risk.severity}")


def _body(
    screen: TerminalOutput,
    action: Action,
    review: Review,
    beyond: str = "",
    *,
    first: str = _TO_SAVE,
) -> None:
    screen.say()
    _steps(screen, review.steps or (_whole(action, review),))
    screen.say()
    if beyond:
        screen.field("Why", [beyond], limit=4)
    else:
        _why(screen, review)
        _instead(screen, review)
        if review.checkpoint_first:
            screen.field("First", [first])


def _in_short(screen: TerminalOutput, action: Action, review: Review) -> None:
    says = "; ".join(dict.fromkeys(step.says for step in review.steps if step.says))
    if review.reasons or not says:
        says = review.explanation
    free = screen.width - 5 - columns(visible(says))
    text = clip(action_in_words(action), min(max(free, _SHORT), screen.width // 2))
    room = screen.width - 5 - columns(text)
    screen.say(f"   {text}  {screen.paint(clip(says, room), 'dim')}")


def _whole(action: Action, review: Review) -> CommandStep:
    says = "; ".join(dict.fromkeys(effect.text for effect in review.effects))
    return CommandStep(action_in_words(action), says)


def _steps(screen: TerminalOutput, steps: Sequence[CommandStep]) -> None:
    shown = _most_telling(steps)
    previous = -1
    for index in shown:
        if index > previous + 1:
            screen.say(screen.paint(f"   … {index - previous - 1} more", "dim"))
        _step(screen, steps[index])
        previous = index
    if left := len(steps) - 1 - previous:
        screen.say(screen.paint(f"   … {left} more", "dim"))


def _most_telling(steps: Sequence[CommandStep]) -> list[int]:
    """Choose the steps to show: blamed ones first, then those with effects, none twice."""
    first = {step: at for at, step in reversed(list(enumerate(steps)))}
    order = sorted(first.values(), key=lambda at: (not steps[at].blamed, not steps[at].says, at))
    return sorted(order[:_MAX_STEPS])


def _step(screen: TerminalOutput, step: CommandStep) -> None:
    style = "red" if step.blamed else ""
    mark = _MARK if step.blamed else ""
    left = wrap(step.text, screen.width - 3 - len(_MARK), limit=3)
    if len(left) > 1 or columns(left[0]) > _COMMAND or screen.width < _ROOMY:
        left[-1] += screen.paint(mark, "red")
        for line in left:
            screen.say(f"   {screen.paint(line, 'bold')}")
        indent, lines = " " * 5, wrap(step.says, screen.width - 5, limit=4)
        lines = lines if step.says else []
    else:
        indent = " " * (3 + _COMMAND + 2)
        lines = wrap(step.says, screen.width - len(indent) - len(mark), limit=6)
        first = pad(left[0], _COMMAND)
        head = f"   {screen.paint(first, 'bold')}  {screen.paint(lines[0], style)}"
        screen.say((head + screen.paint(mark, "red")).rstrip())
        lines = lines[1:]
    for line in lines:
        screen.say(f"{indent}{screen.paint(line, style)}")


def _why(screen: TerminalOutput, review: Review) -> None:
    reasons = list(review.reasons[:_MAX_REASONS]) or [review.explanation]
    if (left := len(review.reasons) - len(reasons)) > 0:
        reasons.append(f"… and {left} more")
    screen.field("Why", reasons, limit=4)


def _instead(screen: TerminalOutput, review: Review) -> None:
    rewrite = review.rewrite
    if review.alternative:
        screen.field("Instead", review.alternatives or [review.alternative], "green")
    if rewrite is not None:
        screen.field("Runs now", [str(rewrite.input.get("command", ""))], "green", limit=8)
        screen.field("Changed", rewrite.changes, limit=4)
        if rewrite.restore:
            screen.field("Restore", [short_restore(rewrite.restore, screen.width - 11)])


def _effects(screen: TerminalOutput, effects: Sequence[Effect]) -> None:
    told = list(dict.fromkeys(effect_in_words(effect) for effect in effects))
    if (left := len(told) - _MAX_EFFECTS) > 0:
        told[_MAX_EFFECTS:] = [f"… and {left} more"]
    screen.field("Effects", told, "dim", limit=2)


def short_restore(restore: str, width: int) -> str:
    """Return the command that restores everything, or `handrail restore` if that is shorter."""
    ids = set(re.findall(r"/trash/([^/\s'\"]+)/", restore))
    only_moves = all(part.startswith("mv -n ") for part in restore.split(" && "))
    if columns(visible(restore)) <= width or len(ids) != 1 or not only_moves:
        return restore
    return f"handrail restore {ids.pop()}"


def _details(screen: TerminalOutput, review: Review) -> None:
    factors = [
        f"{factor.name} {'+' if at and factor.weight > 0 else ''}{factor.weight:.2f}"
        for at, factor in enumerate(review.risk.factors)
    ]
    if factors:
        screen.field("Factors", ["  ".join(factors)], "dim")
    if review.rules:
        names = dict.fromkeys(hit.rule for hit in review.rules)
        screen.field("Rules", ["  ".join(names)], "dim")
    for fault in review.faults:
        screen.field("Fault", [fault], "yellow")
