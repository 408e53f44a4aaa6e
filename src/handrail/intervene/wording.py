"""Write texts for the agent: filled in from the finding, short, never the same twice."""

import re
from collections.abc import Mapping

from handrail.intervene.situation import RunSituation
from handrail.model.finding import Finding

_MAX_FACT = 110
_MAX_SAYS = 300
_LEAST_SAYS = 60
_LEAST_QUOTED = 8
"""Letters of a fact that could be more than a name or a number."""
_ABOUT = {"It": "This run", "Its": "This run's", "The agent": "You"}
_MAX_STEPS = 5
_MAX_PLACES = 3
_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth")

Fields = Mapping[str, str]


def fields_for(finding: Finding, at: RunSituation, nth: int = 1) -> dict[str, str]:
    """Return the fields that a text about a finding may name."""
    steps = finding.evidence
    facts = {name: one_line(value, _MAX_FACT) for name, value in finding.facts.items()}
    return {
        "times": str(len(steps)),
        **facts,
        "says": seen(finding),
        "kind": finding.kind,
        "severity": str(finding.severity),
        "steps": steps_in_words(steps),
        "first": str(min(steps)) if steps else "",
        "step": str(at.step),
        "nth": _ORDINALS[nth - 1] if nth <= len(_ORDINALS) else f"{nth}th",
        "goal": _sentence(at.goal or at.request) if at.goal or at.request else "",
        "scope": places_in_words(at.scope),
    }


def seen(finding: Finding) -> str:
    """Return the finding as a sentence about this run."""
    said = finding.says or f"There is trouble of the kind {finding.kind}"
    for word, meaning in _ABOUT.items():
        if said.startswith(f"{word} "):
            said = f"{meaning}{said.removeprefix(word)}"
    return _sentence(said, [one_line(fact, len(fact) + 1) for fact in finding.facts.values()])


def _quoted(line: str, facts: list[str]) -> str:
    """Quote the parts that others have written: they may read like an order."""
    known = sorted((fact for fact in facts if len(fact) >= _LEAST_QUOTED), key=len, reverse=True)
    if not known:
        return line
    pattern = "|".join(map(re.escape, known))
    return re.sub(pattern, lambda found: f"`{one_line(found[0], _MAX_FACT)}`", line)


def fill_text(template: str, fields: Fields, most: int) -> str | None:
    """Fill in a text, cut to fit; None if a field is not known."""
    known = {name: value for name, value in fields.items() if value}
    try:
        text = template.format_map(known)
    except KeyError:
        return None
    over = len(text) - most
    if over > 0 and "{says}" in template:  # the observation can be shortened, the advice cannot
        says = _cut_quoted(fields["says"], max(len(fields["says"]) - over, _LEAST_SAYS))
        text = template.format_map({**known, "says": says})
    return cut(text, most)


def one_line(text: str, most: int) -> str:
    """Return untrusted text as one line, cut, without markup."""
    line = " ".join(re.sub(r"[`\x00-\x1f\x7f]", " ", text).split())
    return line if len(line) <= most else f"{line[: most - 2].rstrip()} …"


def cut(text: str, most: int) -> str:
    """Cut a text, with its lines."""
    return text if len(text) <= most else f"{text[: most - 2].rstrip()} …"


def _cut_quoted(text: str, most: int) -> str:
    """Cut a text, and close an open quote."""
    if len(text) <= most:
        return text
    short = cut(text, most - 1)
    return f"{short}`" if short.count("`") % 2 else short


def fresh_text(text: str, at: RunSituation, most: int) -> str:
    """Return the text, or a variation if the agent has read it before."""
    said = cut(text, most)
    times = 1
    while at.past.was_told(said):
        times += 1
        tail = f" (Said {times} times by now, at step {at.step}.)"
        said = cut(text, most - len(tail)) + tail
    return said


def steps_in_words(steps: tuple[int, ...]) -> str:
    """Write `4, 6, 8`; of many steps only the first and the last."""
    if len(steps) > _MAX_STEPS:
        return f"{', '.join(map(str, steps[: _MAX_STEPS - 1]))} … {steps[-1]}"
    return ", ".join(map(str, steps))


def places_in_words(scope: tuple[str, ...]) -> str:
    """Name the first few folders in scope."""
    shown = [f"`{one_line(place, _MAX_FACT)}`" for place in scope[:_MAX_PLACES]]
    more = ["others"] if len(scope) > _MAX_PLACES else []
    return ", ".join(shown + more)


def _sentence(text: str, facts: list[str] | None = None) -> str:
    line = _cut_quoted(_quoted(one_line(text, len(text) + 1), facts or []), _MAX_SAYS)
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."
