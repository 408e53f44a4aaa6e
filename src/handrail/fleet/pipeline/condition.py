"""The conditions of steps: a small closed grammar, parsed once and never run as code.

    condition   = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation    = "not" negation | "(" condition ")" | check | comparison
    check       = ( "success" | "failed" ) "(" [ step ] ")"
    comparison  = operand ( "==" | "!=" ) operand
    operand     = name | number | "'text'"

A value is a text; a number in a condition is compared as it is written.
"""

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, Protocol

import msgspec

LONGEST = 1_000
"""Characters of a condition."""
_DEEPEST = 32
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<text>'[^']*'|"[^"]*")
  | (?P<number>-?\d+(?:\.\d+)?)(?![\w.])
  | (?P<name>[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)?)
  | (?P<sign>==|!=|\(|\))
  )""",
    re.VERBOSE,
)
_WORDS = frozenset({"and", "or", "not"})
_CHECKS = ("success", "failed")
_ALLOWED = "allowed: ==, !=, and, or, not, (, ), success(), failed(), names and 'texts'"


class ConditionError(ValueError):
    """A condition that cannot be read; the text says where and why."""

    def __init__(self, at: int, says: str) -> None:
        super().__init__(f"column {at + 1}: {says}")


class StepFacts(Protocol):
    """What a condition asks about; all names in it were checked before."""

    def value(self, name: str) -> str:
        """Return the value of a variable."""

    def succeeded(self, step: str) -> bool:
        """Return whether a step ended well; empty: whether nothing has failed so far."""

    def failed(self, step: str) -> bool:
        """Return whether a step failed or was refused; empty: whether any did."""


class Operand(msgspec.Struct, frozen=True):
    """One side of a comparison."""

    text: str
    is_name: bool = False
    at: int = 0


class ConditionComparison(msgspec.Struct, frozen=True):
    """`a == b` or `a != b`."""

    left: Operand
    right: Operand
    equal: bool


class StatusCheck(msgspec.Struct, frozen=True):
    """`success()` or `failed()`, of one step or of all so far."""

    check: Literal["success", "failed"]
    step: str = ""
    at: int = 0


class Negation(msgspec.Struct, frozen=True):
    """`not a`."""

    part: "Condition"


class Junction(msgspec.Struct, frozen=True):
    """`a and b`, or `a or b`."""

    word: Literal["and", "or"]
    parts: "tuple[Condition, ...]"


Condition = ConditionComparison | StatusCheck | Negation | Junction

ALWAYS_NEXT: Condition = StatusCheck("success")
"""The condition of a step without one: nothing before it has failed."""


def parse_condition(text: str) -> Condition:
    """Read a condition; raises ConditionError.

    A condition without success() or failed() holds only while nothing has failed.
    """
    if len(text) > LONGEST:
        raise ConditionError(LONGEST, f"is longer than {LONGEST:,} characters")
    parser = _Parser(text)
    found = parser.condition(0)
    parser.end()
    if any(True for _ in checks_in(found)):
        return found
    return Junction("and", (ALWAYS_NEXT, found))


def holds(condition: Condition, facts: StepFacts) -> bool:
    """Return whether a condition is true."""
    if isinstance(condition, ConditionComparison):
        left, right = (_value(each, facts) for each in (condition.left, condition.right))
        return (left == right) is condition.equal
    if isinstance(condition, StatusCheck):
        ask = facts.succeeded if condition.check == "success" else facts.failed
        return ask(condition.step)
    if isinstance(condition, Negation):
        return not holds(condition.part, facts)
    join = all if condition.word == "and" else any
    return join(holds(part, facts) for part in condition.parts)


def names_in(condition: Condition) -> Iterator[Operand]:
    """Yield the variables that a condition names."""
    for part in _parts(condition):
        if isinstance(part, ConditionComparison):
            yield from (each for each in (part.left, part.right) if each.is_name)


def checks_in(condition: Condition) -> Iterator[StatusCheck]:
    """Yield the checks of a condition."""
    return (part for part in _parts(condition) if isinstance(part, StatusCheck))


def _parts(condition: Condition) -> Iterator[Condition]:
    yield condition
    if isinstance(condition, Negation):
        yield from _parts(condition.part)
    elif isinstance(condition, Junction):
        for part in condition.parts:
            yield from _parts(part)


def _value(operand: Operand, facts: StepFacts) -> str:
    return facts.value(operand.text) if operand.is_name else operand.text


class _ConditionToken(NamedTuple):
    kind: str
    text: str
    at: int


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._end = len(text)
        self._next = 0

    def condition(self, depth: int) -> Condition:
        return self._junction("or", lambda: self._junction("and", lambda: self._negation(depth)))

    def end(self) -> None:
        if (token := self._peek()) is not None:
            raise ConditionError(token.at, f"{token.text!r} is too much here; {_ALLOWED}")

    def _junction(self, word: Literal["and", "or"], part: Callable[[], Condition]) -> Condition:
        parts = [part()]
        while self._takes(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Junction(word, tuple(parts))

    def _negation(self, depth: int) -> Condition:
        token = self._peek()
        if depth > _DEEPEST:
            raise ConditionError(self._at, f"is nested deeper than {_DEEPEST} levels")
        if self._takes("not"):
            return Negation(self._negation(depth + 1))
        if self._takes("("):
            inner = self.condition(depth + 1)
            self._must_take(")")
            return inner
        if token is not None and token.kind == "name" and self._is_sign(1, "("):
            return self._check()
        return self._comparison()

    def _check(self) -> Condition:
        token = self._tokens[self._next]
        if token.text not in _CHECKS:
            raise ConditionError(token.at, f"there is no {token.text}(); {_ALLOWED}")
        self._next += 2
        step = self._peek()
        name = ""
        if step is not None and step.kind in ("name", "text"):
            name = step.text.strip("'\"")
            self._next += 1
        self._must_take(")")
        return StatusCheck("success" if token.text == "success" else "failed", name, token.at)

    def _comparison(self) -> Condition:
        left = self._operand()
        for sign, equal in (("==", True), ("!=", False)):
            if self._takes(sign):
                return ConditionComparison(left, self._operand(), equal)
        raise ConditionError(self._at, f"expected == or != after {left.text!r}; {_ALLOWED}")

    def _operand(self) -> Operand:
        token = self._peek()
        if token is None:
            raise ConditionError(self._end, f"something is missing at the end; {_ALLOWED}")
        if token.kind == "sign" or token.text in _WORDS:
            raise ConditionError(token.at, f"{token.text!r} cannot stand here; {_ALLOWED}")
        self._next += 1
        if token.kind == "name":
            return Operand(token.text, is_name=True, at=token.at)
        return Operand(token.text[1:-1] if token.kind == "text" else token.text, at=token.at)

    @property
    def _at(self) -> int:
        token = self._peek()
        return self._end if token is None else token.at

    def _peek(self, ahead: int = 0) -> _ConditionToken | None:
        at = self._next + ahead
        return self._tokens[at] if at < len(self._tokens) else None

    def _is_sign(self, ahead: int, text: str) -> bool:
        token = self._peek(ahead)
        return token is not None and token.kind == "sign" and token.text == text

    def _takes(self, text: str) -> bool:
        token = self._peek()
        taken = token is not None and token.kind != "text" and token.text == text
        self._next += taken
        return taken

    def _must_take(self, text: str) -> None:
        if not self._takes(text):
            raise ConditionError(self._at, f"expected {text}; {_ALLOWED}")


def _tokens(text: str) -> Iterator[_ConditionToken]:
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            raise ConditionError(start, f"{text[start]!r} is not understood; {_ALLOWED}")
        kind = match.lastgroup
        yield _ConditionToken(kind, match[kind], match.start(kind))
        at = match.end()
