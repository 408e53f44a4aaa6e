"""Signs of unfinished work: parts of a goal without a step, placeholders in programs."""

import re

from handrail.model.action import Action
from handrail.model.history import GoalPart

_SIGNS = (
    "TODO",
    "FIXME",
    "NotImplementedError",
    "todo!()",
    "unimplemented!()",
    "rest of the code",
    "existing code",
    "your code here",
    "implementation goes here",
)
_CODE = re.compile(
    r"\.(?:py|pyi|js|jsx|ts|tsx|mjs|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sh|sql|vue|"
    r"svelte|ex|exs|clj|hs|lua|dart)$"
)
_ITEM = re.compile(r"^[ \t]{0,20}(?:\d{1,2}[.)]|[-*•])[ \t]{1,8}(\S.*)$", re.MULTILINE)
_VERB = (
    "add|fix|write|create|update|remove|rename|implement|document|refactor|delete|move|change|"
    "replace|extend|port|translate|handle|support|introduce|extract"
)
_JOINT = re.compile(
    rf"[,;.]?\s{{1,4}}(?:and|then|and then|also|and also)\s{{1,4}}(?=(?:{_VERB})\b)", re.IGNORECASE
)
_BEGINS = re.compile(rf"\s{{0,8}}(?:please\s{{1,4}})?(?:{_VERB})\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{3,}")
_PLAIN = frozenset(
    f"{_VERB.replace('|', ' ')} the and for with that this from into when where which should "
    "would could must have make sure test tests code file files function method class module "
    "project please also then each every other both some more than they them their there here "
    "what while about after before only just like need needs want using used uses".split()
)
_MAX_GOAL = 4_000
_MAX_PARTS = 8
_MAX_WORDS = 8


def goal_parts(goal: str) -> list[GoalPart]:
    """The things that a goal asks for, if it clearly asks for several; else none."""
    text = goal[:_MAX_GOAL]
    said = _ITEM.findall(text)
    if len(said) < 2:
        said = [each for each in _JOINT.split(text) if each.strip()]
        if len(said) < 2 or not all(map(_BEGINS.match, said)):
            return []
    found = [GoalPart(each.strip()[:80], _telling(each)) for each in said[:_MAX_PARTS]]
    return [each for each in found if each.words] if len(found) > 1 else []


def untouched(parts: list[GoalPart], action: Action) -> list[GoalPart]:
    """The parts of a goal that an action is not for, as far as its words tell."""
    text = "\n".join(
        value[:_MAX_GOAL] for value in action.input.values() if isinstance(value, str)
    ).lower()
    return [part for part in parts if not any(word in text for word in part.words)]


def placeholder_left(path: str, text: str, replaced: str = "") -> str:
    """Return the sign of unfinished work that a text puts into a program, or ""."""
    if not any(sign in text for sign in _SIGNS) or not is_program(path):
        return ""
    return next((sign for sign in _SIGNS if sign in text and sign not in replaced), "")


def is_program(path: str) -> bool:
    """Return whether a file holds code, by its name: a change of it wants a test."""
    return _CODE.search(path) is not None


def _telling(part: str) -> tuple[str, ...]:
    words = (word.lower() for word in _WORD.findall(part))
    return tuple(dict.fromkeys(word for word in words if word not in _PLAIN))[:_MAX_WORDS]
