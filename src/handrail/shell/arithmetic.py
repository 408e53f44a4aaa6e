"""Sums in `$(( ))`, as far as they can be worked out beforehand."""

import operator
import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+#[0-9a-zA-Z@_]+|0[xX][0-9a-fA-F]+|\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\*\*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^~!?:(),]))",
    re.ASCII,
)
_CHANGED = re.compile(
    r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))"
    r"|(?:\+\+|--)\s*([A-Za-z_]\w*)",
    re.ASCII,
)
_MAX_TOKENS = 200
_MAX_POWER = 62


def _places(count: int) -> int:
    if not 0 <= count < 64:
        raise ValueError(count)
    return count


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _rest(a: int, b: int) -> int:
    return a - b * _divide(a, b)


_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"||": lambda a, b: int(bool(a or b))},
    {"&&": lambda a, b: int(bool(a and b))},
    {"|": operator.or_},
    {"^": operator.xor},
    {"&": operator.and_},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {"<": lambda a, b: int(a < b), ">": lambda a, b: int(a > b),
     "<=": lambda a, b: int(a <= b), ">=": lambda a, b: int(a >= b)},
    {"<<": lambda a, b: a << _places(b), ">>": lambda a, b: a >> _places(b)},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": _divide, "%": _rest},
)  # fmt: skip
"""Operators from the weakest to the strongest."""


class _NotKnownError(Exception):
    """The value is only known when it runs."""


def names_changed(text: str) -> set[str]:
    """The variables that a sum sets."""
    return {first or second for first, second in _CHANGED.findall(text)}


def evaluate(text: str, value_of: Callable[[str], str | None]) -> int | None:
    """The value of a sum, or None if it is unknown; `value_of` knows variables."""
    if not text.strip():
        return 0
    tokens = _tokens(text)
    if tokens is None or names_changed(text):
        return None
    try:
        total = _Sum(tokens, value_of).whole()
    except (_NotKnownError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return _wrapped(total)


def _wrapped(number: int) -> int:
    """As much of a number as 64 bits hold."""
    return ((number + 2**63) % 2**64) - 2**63


def _tokens(text: str) -> list[tuple[str, str]] | None:
    tokens: list[tuple[str, str]] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if not match or len(tokens) >= _MAX_TOKENS:
            return None
        tokens.append((match.lastgroup or "", match[match.lastgroup or 0]))
        at = match.end()
    return tokens


class _Sum:
    def __init__(
        self, tokens: list[tuple[str, str]], value_of: Callable[[str], str | None]
    ) -> None:
        self._tokens = tokens
        self._value_of = value_of
        self._at = 0

    def whole(self) -> int:
        value = self._choice()
        while self._take(","):
            value = self._choice()
        if self._at < len(self._tokens):
            raise _NotKnownError
        return value

    def _take(self, sign: str) -> bool:
        found = self._at < len(self._tokens) and self._tokens[self._at] == ("sign", sign)
        self._at += found
        return found

    def _choice(self) -> int:
        value = self._binary(0)
        if not self._take("?"):
            return value
        first = self._choice()
        if not self._take(":"):
            raise _NotKnownError
        second = self._choice()
        return first if value else second

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._power()
        value = self._binary(level + 1)
        while self._at < len(self._tokens):
            kind, sign = self._tokens[self._at]
            apply = _LEVELS[level].get(sign) if kind == "sign" else None
            if apply is None:
                break
            self._at += 1
            value = _wrapped(apply(value, self._binary(level + 1)))
        return value

    def _power(self) -> int:
        base = self._unary()
        if not self._take("**"):
            return base
        exponent = self._power()
        if not 0 <= exponent <= _MAX_POWER:
            raise _NotKnownError
        return _wrapped(int(base**exponent))

    def _unary(self) -> int:
        for sign, change in (("-", int.__neg__), ("+", int), ("~", int.__invert__)):
            if self._take(sign):
                return change(self._unary())
        if self._take("!"):
            return int(not self._unary())
        return self._atom()

    def _atom(self) -> int:
        if self._take("("):
            value = self._choice()
            while self._take(","):
                value = self._choice()
            if not self._take(")"):
                raise _NotKnownError
            return value
        if self._at >= len(self._tokens):
            raise _NotKnownError
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return _number(text)
        value_text = self._value_of(text) if kind == "name" else None
        if value_text is None or not re.fullmatch(r"\s*-?\w*\s*", value_text, re.ASCII):
            raise _NotKnownError
        value_text = value_text.strip()
        negative = value_text.startswith("-")
        number = _number(value_text.lstrip("-") or "0")
        return -number if negative else number


def _number(text: str) -> int:
    base, mark, digits = text.partition("#")
    if mark:
        if not 2 <= int(base) <= 36:
            raise _NotKnownError
        return int(digits, int(base))
    if text[:2] in {"0x", "0X"}:
        return int(text, 16)
    return int(text, 8) if text.startswith("0") and len(text) > 1 else int(text)
