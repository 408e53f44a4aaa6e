"""Quoted text: escapes, ANSI-C strings, and masks that keep quoted specials apart."""

import re

from handrail.shell.errors import TooMuchWorkError
from handrail.shell.word import OPAQUE

MAX_BRACES = 2048
"""Words that one brace expression may become."""
_MAX_NUMBERS = 64
"""Numbers of a sequence that are looked at one by one; a wildcard stands for the others."""
SPECIAL = "*?[]{}~,.$ \t\n\\"
_MASK = {ord(char): chr(0xE000 + ord(char)) for char in SPECIAL}
MARK = "\ue0ff"
"""Stands where something was quoted: a field that is empty apart from it is a field."""
_UNMASK = {0xE000 + ord(char): char for char in SPECIAL} | {ord(MARK): ""}
_MASKED = re.compile("[\ue000-\ue0ff]")
_NEEDS_MASK = re.compile(r"[*?\[\]{}~,.$ \t\n\\]")


def _escapes(octal: str) -> re.Pattern[str]:
    """Escapes of a kind of text, which differ in how octal numbers are written."""
    return re.compile(
        rf"\\(?:x([0-9a-fA-F]{{1,2}})|{octal}|u([0-9a-fA-F]{{1,4}})|U([0-9a-fA-F]{{1,8}})|c(.)|(.))",
        re.DOTALL,
    )


_ANSI_C = _escapes("([0-7]{1,3})")
_ECHO = _escapes("0([0-7]{0,3})")
_PERCENT_B = _escapes("0?([0-7]{1,3})")
_SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r",
    "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip


def mask(text: str) -> str:
    """Hide characters that would be special if they were not quoted."""
    return text.translate(_MASK) if _NEEDS_MASK.search(text) else text


def unmask(text: str) -> str:
    """Give back what `mask` hid."""
    return text.translate(_UNMASK) if _MASKED.search(text) else text


def decode_ansi_c(text: str) -> str:
    """The value of `$'…'` or of an `echo -e` / `printf` string."""
    if "\\" not in text:
        return text
    return _ANSI_C.sub(_ansi_c_char, text)


def decode_echo(text: str) -> str:
    """The value of an `echo -e` string: octal numbers begin with a zero there."""
    return _ECHO.sub(_ansi_c_char, text)


def decode_percent_b(text: str) -> str:
    """The value of an argument of `printf %b`: octal numbers may begin with a zero."""
    return _PERCENT_B.sub(_ansi_c_char, text)


def _ansi_c_char(match: re.Match[str]) -> str:
    hexa, octal, short, long, control, simple = match.groups()
    if short or long:
        code = int(short or long, 16)
        return chr(code) if code < 0x110000 else "\ufffd"
    if hexa or octal is not None:
        code = int(hexa, 16) if hexa else int(octal or "0", 8) & 0xFF
        return chr(code) if code < 0x80 else OPAQUE  # beyond ASCII it is half a character
    if control:
        return "\x7f" if control == "?" else chr(ord(control) & 0x1F)
    return _SIMPLE.get(simple, "\\" + simple)


def unescape(text: str) -> str:
    """The value of an unquoted word: each backslash quotes the next character."""
    if "\\" not in text:
        return text
    return re.sub(r"\\(\n)|\\(.)", lambda match: mask(match.group(2) or ""), text, flags=re.DOTALL)


def unescape_string(text: str) -> str:
    """The value of text in double quotes: a backslash quotes only `$`, `` ` ``, `"`, `\\`."""
    if "\\" not in text:
        return text
    return re.sub(r'\\(\n)|\\([$`"\\])', lambda match: match.group(2) or "", text)


def brace_expand(text: str) -> list[str]:
    """`a{b,c}` as `["ab", "ac"]`, `{1..3}` as `["1", "2", "3"]`."""
    start = text.find("{")
    while start >= 0:
        end, parts = _brace_parts(text, start)
        if parts:
            head = text[:start]
            words = [word for part in parts for word in brace_expand(part)]
            rests = brace_expand(text[end + 1 :])
            if len(words) * len(rests) > MAX_BRACES:
                raise TooMuchWorkError(MAX_BRACES)
            return [head + word + rest for word in words for rest in rests]
        start = text.find("{", start + 1)
    return [text]


def _brace_parts(text: str, start: int) -> tuple[int, list[str]]:
    """The alternatives of the brace at `start`, and where it ends; none if it is literal."""
    depth = 0
    pieces: list[str] = []
    last = start + 1
    for index in range(start, len(text)):
        char = text[index]
        if char == "{":
            depth += 1
        elif char == "," and depth == 1:
            pieces.append(text[last:index])
            last = index + 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                body = text[last:index]
                return index, ([*pieces, body] if pieces else _sequence(body))
    return start, []


def _sequence(body: str) -> list[str]:
    match = re.fullmatch(
        r"(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.(-?\d{1,4}))?|([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,4}))?",
        body,
        re.ASCII,
    )
    if not match:
        return []
    first, last, step, char, final, stride = match.groups()
    if char:
        codes = _span(ord(char), ord(final), abs(int(stride or 1)) or 1)
        return [chr(code) for code in codes]
    padded = any(re.match(r"-?0\d", text) for text in (first, last))
    width = max(len(first), len(last)) if padded else 0
    numbers = _span(int(first), int(last), abs(int(step or 1)) or 1)
    rest = ["*"] if len(numbers) > _MAX_NUMBERS else []
    return [*(f"{number:0{width}d}" for number in numbers[:_MAX_NUMBERS]), *rest]


def _span(first: int, last: int, step: int) -> range:
    return range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
