"""Compare results, and ignore the parts that differ each time.

Noise comes from a clock, the kernel or a random generator: times, durations, process ids, ports,
addresses, seeds, ids of requests, names of temporary files. All other numbers have a meaning:
`3 failed` and `2 failed` are different results. At the beginning and the end of a long text every
number is compared; in the rest only the words count.
"""

import re
from typing import NamedTuple
from zlib import crc32

from handrail.model.action import Outcome

_MAX_RESULT = 20_000
"""Characters of a result to look at, half of them at each end."""
_FIRST, _LAST = 6, 20
"""Lines of a result whose words are compared. Lines, because noise varies in length."""
_FIRST_EXACT, _LAST_EXACT = 3, 6
"""Lines whose numbers are compared."""
_LINES_FIRST, _LINES_LAST = 600, 2_000
"""Characters to search for these lines."""
_MAX_EXACT = 1_200
_SPACE = b" \t\r\n\v\f"
_NO_WORDS = b"0123456789abcdef" + _SPACE

_UNIT = r"(?:[numµ]?s|secs?|seconds?|mins?|minutes?|hours?)\b"
# Begins with the first digit of a number, so that the search skips other text quickly, one
# character at a time; then each alternative with characters of its own, so that it also skips
# most numbers quickly.
_NUMBERS = re.compile(
    rf"""[0-9](?<![0-9][0-9])[0-9]*+(?:
      [a-f][0-9a-f]{{7,}}                                        # a long id
    | x[0-9a-fA-F]{{6,16}}\b                                     # an address
    | :[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?(?![0-9])        # a clock
      (?:Z\b|\ ?[AP]M\b)?
    | [-/](?<=[0-9]{{4}}.)[01][0-9][-/][0-3][0-9]                # a date
      (?:[T\ ][0-9:.,]+(?:Z|\ ?[+-][0-9:]+)?)?
    | \.[0-9]++\ ?{_UNIT} | \ {_UNIT}                            # a duration
    | [nuµ]s\b | s(?:ecs?|econds?)?\b | hours?\b
    | m(?:s|ins?|inutes?|(?:in)?\ ?[0-9]+(?:\.[0-9]+)?s)\b
    | (?<=[0-9]{{10}})                                           # time since 1970
      (?:(?<=\b1[0-9]{{9}})|(?<=\b1[0-9]{{12}})|(?<=\b1[0-9]{{18}}))(?:\.[0-9]+)?
    )""",
    re.ASCII | re.VERBOSE,
)
_NAMED = re.compile(
    r"""[0-9](?<![0-9][0-9])(?:
      (?<=[Pp][Ii][Dd][\ =:\#][0-9]) | (?<=[Pp][Ii][Dd][=:]\ [0-9])
    | (?<=(?:rocess|Thread|thread)[\ \#-][0-9])
    | (?<=(?:lhost|0\.0\.1|0\.0\.0|\[::1\]):[0-9])  # a port
    | (?<=^\[[0-9]\]\ [0-9])(?=[0-9]{2,6}$)         # a job of the shell
    )[0-9]*""",
    re.ASCII | re.VERBOSE | re.MULTILINE,
)
_NAMES = ("pid", "PID", "rocess", "hread", "host:", "0.0.", "[::", "[1] ")
_OF_ID = re.compile(r"[ _-]?id[\s:=#\"'(]{1,4}[\w.:/-]*", re.ASCII | re.IGNORECASE)
_OF_TIME = re.compile(rf"(?: \w{{1,8}})?[\s:=]{{1,3}}[0-9]+(?:\.[0-9]+)?(?: ?{_UNIT})?", re.ASCII)
_LABELLED = {
    "seed": re.compile(r"(?: (?:is|was|used))?[\s:=#\"'(]{1,12}-?[0-9][0-9a-fx]*", re.ASCII),
    "request": re.compile(
        rf"{_OF_ID.pattern}|[\s:#\"'(]{{1,3}}(?=[\w-]*[0-9])[\w-]{{6,}}", re.ASCII | re.IGNORECASE
    ),
    "req_": re.compile(r"\w+", re.ASCII),
    "port": re.compile(r"[\s:=#\"'(]{1,3}[0-9]{2,5}\b", re.ASCII),
    **dict.fromkeys(("trace", "correlation", "transaction", "invocation", "session"), _OF_ID),
    **dict.fromkeys(("elapsed", "duration", "latency", "took"), _OF_TIME),
}
"""Words, and the values behind them that are random or measured."""
_PORTS = re.compile(r":(?<=[A-Za-z0-9\]]:)[0-9]{4,5}\b", re.ASCII)
_ADDRESSES = re.compile(r"[0-9](?<![0-9.][0-9])[0-9]{0,2}(?:\.[0-9]{1,3}){3}\b", re.ASCII)
"""Where a connection went: a container or a test server gets another address each time."""
_PLACES = re.compile(
    r"""[0-9](?<![0-9][0-9])(?:
      (?<=[Ll]ine\ [0-9]) | (?<=\.[a-z]:[0-9]) | (?<=\.[a-z]{2}:[0-9]) | (?<=\.[a-z]{3}:[0-9])
    )[0-9]*(?::[0-9]+)?""",
    re.ASCII | re.VERBOSE,
)
"""Line and column: an error that moves with the lines above it stays the same."""
_SPOTS = re.compile(
    r"""[0-9](?<![0-9][0-9])(?:
      (?<=[Ll]ine\ [0-9]) | (?<=\.[A-Za-z][:(][0-9]) | (?<=\.[A-Za-z]{2}[:(][0-9])
    | (?<=\.[A-Za-z]{3}[:(][0-9]) | (?<=\.[A-Za-z]{4}[:(][0-9]) | (?<=\.[A-Za-z]{5}[:(][0-9])
    | (?<=\ \ [0-9])(?=[0-9]*:[0-9]+\ \ )
    )[0-9]*(?:[:,][0-9]+)?""",
    re.ASCII | re.VERBOSE,
)
"""The same in all formats of compilers: where the error is now."""
_DOTS = 2
"""Dots in less than an address."""
_NOISE = "\0"
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_TEMPORARY = re.compile(
    r"/tmp[._]?[A-Za-z0-9_]{6,12}\b"  # tempfile, mktemp
    r"|/tmp/[\w.]*-(?=[A-Za-z]*[0-9])[A-Za-z0-9]{6,}\b"  # a name and a random end
    r"|/T/[\w.-]+"  # macOS
)
_PYTEST = re.compile(r"pytest-of-[\w.-]+/pytest-[0-9]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_UUID_INSIDE = re.compile(r"-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
_RULERS = (("====", re.compile("=====*")), ("----", re.compile("-----*")))
"""Rulers fill the rest of their line; a fixed beginning makes the search fast."""
_PROMPT = re.compile(r"(?:\([\w.-]+\) )?[\w.-]+@[\w.-]+:[^$#]*[$#]( |$)")


class ResultKeys(NamedTuple):
    """Keys of an outcome; equal outcomes have equal keys."""

    result: str
    failure: str
    """The same without the lines and columns of an error; empty: it worked."""


def result_keys(outcome: Outcome) -> ResultKeys:
    """Return the keys of an outcome."""
    text = f"{outcome.output}\n{outcome.error}" if outcome.error else outcome.output
    if len(text) > _MAX_RESULT:
        text = text[: _MAX_RESULT // 2] + text[-_MAX_RESULT // 2 :]
    lines = _lines(as_seen(text))
    spots = "" if outcome.ok else str(_SPOTS.findall("\n".join(lines)))
    middle = b""
    if len(lines) > _FIRST_EXACT + _LAST_EXACT:
        between = "".join(lines[_FIRST_EXACT:-_LAST_EXACT])
        middle = between.encode("utf-8", "replace").translate(None, _NO_WORDS)
        lines = lines[:_FIRST_EXACT] + lines[-_LAST_EXACT:]
    text = "\n".join(lines)
    if len(text) > _MAX_EXACT:
        text = text[: _MAX_EXACT // 2] + text[-_MAX_EXACT // 2 :]
    if outcome.ok:
        # Columns are as wide as their numbers. In an error, the indentation may be its subject.
        ends = _without_noise(text).encode("utf-8", "replace").translate(None, _SPACE)
    else:
        ends = normalized_error(text).encode("utf-8", "replace")
    key = f"{'+' if outcome.ok else '-'}{crc32(middle, crc32(ends)):08x}{len(ends):x}"
    return ResultKeys(key, "") if outcome.ok else ResultKeys(f"{key}@{_crc(spots)}", key)


def _crc(text: str) -> str:
    return f"{crc32(text.encode()):08x}"


def _lines(text: str) -> list[str]:
    if len(text) <= _LINES_FIRST + _LINES_LAST:
        return text.rstrip().split("\n")
    first = text[:_LINES_FIRST].split("\n", _FIRST)[:-1]
    last = text[-_LINES_LAST:].rstrip().rsplit("\n", _LAST)[1:]
    return first + last or [text]


def normalized_error(text: str) -> str:
    """Normalize an error: without noise, its line numbers and network addresses."""
    text = _without_values(_PLACES.sub(_NOISE, text))
    if ":" in text:
        text = _PORTS.sub(":", text)
    if text.count(".") > _DOTS:
        text = _ADDRESSES.sub(_NOISE, text)
    return _without_noise(text).replace(_NOISE, "#").strip()


def as_seen(text: str) -> str:
    """Return a text as a terminal shows it: without colors and overwritten parts."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
        text = "\n".join(lines)
    return text


def _without_noise(text: str) -> str:
    """Remove prompts, random names, and numbers of a clock or the kernel."""
    if "@" in text:
        lines = text.split("\n")
        text = "\n".join(line for line in lines if "@" not in line or not _PROMPT.match(line))
    if "/tmp" in text or "/T/" in text:
        text = _TEMPORARY.sub("/tmp/", text)
    if "pytest-of-" in text:
        text = _PYTEST.sub("", text)
    if "-" in text and _UUID_INSIDE.search(text):
        text = _UUID.sub("", text)
    for beginning, ruler in _RULERS:
        if beginning in text:
            text = ruler.sub("=", text)
    for name in _NAMES:
        if name in text:
            text = _NAMED.sub("", text)
            break
    text = _NUMBERS.sub(_NOISE, text)
    if _NOISE not in text:
        return text
    # The letters that an id begins with, before its first digit.
    return _NOISE.join([part.rstrip("abcdef") for part in text.split(_NOISE)])


def _without_values(text: str) -> str:
    """Remove the values behind telling words. Searched word by word, which is many times faster
    than one expression with all of them."""
    small = text.lower()
    if len(small) != len(text):  # a letter without a small one of its own
        return text
    for label, value in _LABELLED.items():
        at = small.find(label)
        while at >= 0:
            end = at + len(label)
            is_word = at == 0 or not small[at - 1].isalnum()
            if is_word and (found := value.match(text, end)) is not None:
                text = text[:end] + text[found.end() :]
                small = text.lower()
            at = small.find(label, end)
    return text
