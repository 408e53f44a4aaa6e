"""The intent of an action, reduced to the facts that detectors compare."""

import re
from collections.abc import Sequence
from functools import lru_cache
from sys import intern

import msgspec

from handrail.model.action import SHELL_TOOLS, Action
from handrail.model.effect import CHANGING_KINDS, HOST_KINDS, PATH_KINDS, Effect, Kind
from handrail.model.fingerprint import call_key, text_key
from handrail.model.review import Review
from handrail.model.test_edits import weakened_test
from handrail.model.waiting import only_waits

MAX_PATHS = 8
"""How many paths of a kind an intent holds; of more, nobody knows the others."""
_READ, _SECRET, _DELETE = Kind.READ, Kind.SECRET, Kind.DELETE
_CHANGING = tuple(CHANGING_KINDS)  # looked through faster than an enum's hash is made
_NAMING = (*PATH_KINDS, *HOST_KINDS)
_MAX_SHOWN = 120
_PROGRAM = re.compile(
    r"(?:(?:cd|export|source|set)\b[^;&|]*(?:&&|;)\s*|[A-Za-z_]\w*=\S*\s+"
    r"|(?:sudo|env|time|nice|npx|timeout \S+|(?:uv|poetry|pipenv) run)\s+)*"
    r"(?P<program>[^\s;&|]+)(?:\s+-m)?(?:\s+-\S+)*(?:\s+(?P<verb>[\w:.-]+))?"
)
_WITH_VERB = frozenset(
    "make gmake just npm pnpm yarn bun cargo go git gh docker kubectl mvn python python3".split()
)
"""Programs whose first word says what they do."""
_CUT = " …"


class Intent(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The intent of an agent, known before the action runs."""

    tool: str
    call: str
    """A key that is equal for calls without a relevant difference."""
    shown: str
    """The action in a few words."""
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    """Paths that it changes, makes or deletes."""
    outside: tuple[str, ...] = ()
    """Paths that it touches outside of the scope."""
    secrets: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    """Machines of others that it sends something to, or connects to."""
    alignment: float = 0.0
    """How well it fits the goal, from 0 to 1."""
    agent: str = ""
    """The sub-agent that wants it; empty: the agent itself."""
    kinds: tuple[Kind, ...] = ()
    """The kinds of its effects."""
    blamed: str = ""
    """Its worst effect, the same for another way to the same aim."""
    waits: bool = False
    """It only checks whether something else is ready; repetitions are normal."""
    weakens: str = ""
    """The test file that it deletes, or from which it takes checks."""
    before: str = ""
    """The key of the text that an edit replaces."""
    after: str = ""
    """The key of the text that an edit puts there."""

    @property
    def sort(self) -> str:
        """Return the tool, and of a command the program: actions of one sort try the same."""
        if self.tool.lower() not in SHELL_TOOLS:
            return self.tool
        found = _PROGRAM.match(self.shown)
        if found is None:
            return self.tool
        program, verb = found["program"].rpartition("/")[2], found["verb"]
        return f"{program} {verb}" if verb and program in _WITH_VERB else program

    @property
    def begins(self) -> str:
        """Return the shown text without the ellipsis, which doubles the size of each letter."""
        return self.shown.removesuffix(_CUT)


def intent_of(action: Action, review: Review, agent: str = "") -> Intent:
    """Return the intent of an action, from its review."""
    reads: list[str] = []
    writes: list[str] = []
    secrets: list[str] = []
    deletes: list[str] = []
    kinds: list[Kind] = []
    worst: Effect | None = None
    for effect in review.effects:
        kind = effect.kind
        if kind not in kinds:
            kinds.append(kind)
        if kind is _READ:
            reads.append(effect.target)
        elif kind is _SECRET:
            secrets.append(effect.target)
        elif kind in _CHANGING:
            writes.append(effect.target)
            if kind is _DELETE:
                deletes.append(effect.target)
        if worst is None or effect.severity.rank > worst.severity.rank:
            worst = effect
    before, after = _replaced(action)
    return Intent(
        intern(action.tool),
        call_key(action),
        _shown(action),
        tuple(reads[:MAX_PATHS]) if reads else (),
        tuple(writes[:MAX_PATHS]) if writes else (),
        review.outside[:MAX_PATHS],
        tuple(secrets[:MAX_PATHS]) if secrets else (),
        review.outgoing[:MAX_PATHS],
        review.rationality.goal_alignment,
        agent,
        _shared(tuple(kinds)),
        _blamed(worst),
        only_waits(action),
        weakened_test(action, deletes) if writes else "",
        before,
        after,
    )


def with_changes(intent: Intent, paths: Sequence[str], outside: Sequence[str]) -> Intent:
    """Return the intent with files that the action changed, though nobody foresaw it."""
    if not paths and not outside:
        return intent
    kinds = intent.kinds if Kind.WRITE in intent.kinds else (*intent.kinds, Kind.WRITE)
    return msgspec.structs.replace(
        intent,
        writes=tuple(dict.fromkeys((*intent.writes, *paths)))[:MAX_PATHS],
        outside=tuple(dict.fromkeys((*intent.outside, *outside)))[:MAX_PATHS],
        kinds=_shared(kinds) if paths else intent.kinds,
    )


def _replaced(action: Action) -> tuple[str, str]:
    """Return the keys of both texts of an edit, so that a later one can be seen to reverse it."""
    old, new = action.input.get("old_string"), action.input.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return "", ""
    return text_key(old), text_key(new)


@lru_cache(maxsize=256)
def _shared(kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Return one shared object for equal kinds: every run keeps many."""
    return kinds


def _blamed(worst: Effect | None) -> str:
    if worst is None:
        return ""
    # Where the target is a piece of the command, another way has another one.
    return f"{worst.kind}:{worst.target}" if worst.kind in _NAMING else worst.kind.value


def _shown(action: Action) -> str:
    for key in ("command", "file_path", "path", "pattern", "url", "query", "text", "do"):
        value = action.input.get(key)
        if isinstance(value, str) and value:
            line = " ".join(value.split())
            return line if len(line) <= _MAX_SHOWN else f"{line[: _MAX_SHOWN - 2]}{_CUT}"
    return action.tool
