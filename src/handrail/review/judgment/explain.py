"""A judgement in words: reasons, an alternative, the program as understood."""

import re
from collections.abc import Sequence

from handrail.model.effect import Effect
from handrail.model.ordinal import Severity
from handrail.model.review import CommandStep, Risk, RuleHit
from handrail.shell import Command, ParsedProgram

_MAX_ALTERNATIVES = 3
_ASK = "Explain why you need it; a person can do it or allow it."
_MAX_SENTENCE = 400
"""A reason is read by a person; what is longer was made to be long."""


def reasons_for(
    effects: Sequence[Effect], hits: Sequence[RuleHit], issues: Sequence[str], risk: Risk
) -> tuple[str, ...]:
    """All reasons as sentences, the strongest first, none twice."""
    serious = [effect for effect in effects if effect.severity >= Severity.MEDIUM]
    if not (serious or hits or issues):
        return ()
    serious.sort(key=lambda effect: -effect.severity.rank)
    sentences = [_sentence(effect.text) for effect in serious]
    sentences += [_sentence(hit.says) for hit in hits]
    sentences += [_sentence(issue) for issue in issues if risk.severity > Severity.NONE]
    return tuple(dict.fromkeys(sentences))


def _sentence(text: str) -> str:
    text = text.strip()[:_MAX_SENTENCE]
    if not text:
        return ""
    first = text[0].upper() + text[1:]
    starts_with_verb = re.match(r"[a-z]+s\b", text) is not None
    body = f"It {text}" if starts_with_verb else first
    return body if body.endswith((".", "!", "?")) else body + "."


def alternatives_for(
    effects: Sequence[Effect], hits: Sequence[RuleHit], suggestions: Sequence[str] = ()
) -> tuple[str, ...]:
    """What to do instead of a refused action, the best way first; never empty."""
    serious = sorted(
        (effect for effect in effects if effect.severity >= Severity.HIGH),
        key=lambda effect: -effect.severity.rank,
    )
    concrete = (*(effect.instead for effect in serious), *(hit.instead for hit in hits))
    found = dict.fromkeys(text for text in (*concrete, *suggestions) if text)
    return tuple(found)[:_MAX_ALTERNATIVES] or (_ASK,)


def confidence_in(effects: Sequence[Effect], program: ParsedProgram | None) -> float:
    confidence = 1.0
    if any(effect.opaque for effect in effects):
        confidence -= 0.2
    if program is not None and program.broken:
        confidence -= 0.3
    return round(confidence, 2)


def steps_of(program: ParsedProgram | None, effects: Sequence[Effect]) -> tuple[CommandStep, ...]:
    """The program as understood, one line for each command that stands in it."""
    if program is None:
        return ()
    worst = max((effect.severity for effect in effects), default=Severity.NONE)
    steps: list[CommandStep] = []
    for index, command in enumerate(program.commands):
        mine = [effect for effect in effects if effect.command == index]
        mine.sort(key=lambda effect: -effect.severity.rank)
        text = _written(command)
        if not text or (command.via and not mine):
            continue
        blamed = bool(mine) and mine[0].severity is worst and worst >= Severity.HIGH
        steps.append(
            CommandStep(text, "; ".join(dict.fromkeys(item.text for item in mine[:3])), blamed)
        )
    return tuple(steps)


def _written(command: Command) -> str:
    """A command as a person would write it, with its redirects."""
    words = [f"{name}={value.shown}" for name, value in command.assignments]
    if command.text:
        words = [command.text]
    words += [f"{item.descriptor}{item.operator} {item.target.shown}" for item in command.redirects]
    return " ".join(words)
