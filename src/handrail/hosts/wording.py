"""Word a verdict for agents and people, for any host."""

from handrail.model.ordinal import Decision
from handrail.model.review import Verdict

_MAX_TEXT = 4_900
"""Claude Code moves a text of more than 10,000 units of UTF-16 into a file."""
_MAX_PART = 2_000
"""Characters of a reason, to leave room for the advice."""


def told(verdict: Verdict, *, ask: bool) -> str:
    """Return the text for a verdict before a tool runs; "": it just runs.

    `ask`: let a person decide where they may overrule.
    """
    if refuses(verdict):
        return asked(verdict) if asks(verdict, ask=ask) else refused(verdict)
    if verdict.decision is Decision.MODIFY:
        return changed(verdict)
    if verdict.decision is Decision.WARN:
        return lines(f"Handrail: {verdict.reason}", *verdict.guidance)
    return advice(verdict) if verdict.guidance else ""


def asks(verdict: Verdict, *, ask: bool) -> bool:
    """Return whether a refusal becomes a question, if a person is there to ask."""
    return ask and verdict.overrulable and not verdict.stop


def advice(verdict: Verdict) -> str:
    """Return the text for an agent whose run goes wrong."""
    return lines(f"Handrail: {verdict.guidance[0]}", *verdict.guidance[1:])


def told_after(verdict: Verdict) -> str:
    """Return the text after a tool ran, or ""."""
    if verdict.decision is not Decision.ALLOW:
        return lines(f"Handrail: {verdict.reason}", verdict.alternative, *verdict.guidance)
    return advice(verdict) if verdict.guidance else ""


def refused(verdict: Verdict) -> str:
    """Return the text of a refusal for the agent: why, and what to do instead."""
    instead = verdict.alternative and f"Do this instead: {_small(verdict.alternative)}"
    others = [f"Or: {_small(other)}" for other in verdict.alternatives]
    setting = verdict.permitted_by and (
        f"A person can allow it in handrail.yaml: {verdict.permitted_by}."
    )
    reason = f"Handrail stopped this: {_small(verdict.reason)}"
    return lines(reason, instead, *others, setting, *verdict.guidance)


def asked(verdict: Verdict) -> str:
    """Return the question for the person."""
    safer = verdict.alternative and f"Safer: {_small(verdict.alternative)}"
    return lines(f"Handrail would stop this: {_small(verdict.reason)}", safer)


def changed(verdict: Verdict) -> str:
    """Return the text for an agent whose command was rewritten; its history shows the old one."""
    # A shortened command would do something else.
    restore = verdict.restore if len(verdict.restore) < _MAX_PART - 100 else "handrail restore"
    back = verdict.restore and f"To put it back: {restore}"
    changes = "\n".join(verdict.changes)
    return lines(
        f"Handrail changed this command before it ran:\n{changes}", back, *verdict.guidance
    )


def refuses(verdict: Verdict) -> bool:
    """Return whether the tool must not run."""
    # `continue: false` alone would let the tool run and then stop: a stop is always a refusal too.
    return (
        verdict.decision is Decision.BLOCK
        or verdict.stop
        or (verdict.decision is Decision.MODIFY and verdict.updated_input is None)
    )


def _small(sentence: str) -> str:
    """Return a sentence to put after a colon."""
    first, _, rest = sentence.partition(" ")
    return f"{first.lower()} {rest}" if first in ("It", "The", "This") else sentence


def lines(*parts: str) -> str:
    """Join the parts that are not empty, one below the other."""
    return cut("\n".join(cut(part, _MAX_PART) for part in parts if part))


def cut(text: str, most: int = _MAX_TEXT) -> str:
    """Shorten a text to a length that every host accepts."""
    return text if len(text) <= most else f"{text[: most - 2]} …"
