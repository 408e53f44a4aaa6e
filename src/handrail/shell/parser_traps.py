"""Valid shell that the parser reads wrongly, and without noticing.

Each row was found by comparing with bash. Such a text is read in a plain spelling instead; where
a row fits too often, that costs a little time and nothing else.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import tree_sitter


class ParserTrap(NamedTuple):
    """Something that the parser misreads."""

    signs: tuple[bytes, ...]
    """One of these stands in the text: looked for first, because that takes no time."""
    found: Callable[[bytes], object]


def _hides_its_end(data: bytes) -> bool:
    """Whether a quote in `${ }` stands before what may be the end of it."""
    opened = quoted = False
    for mark in _MARKS.findall(data):
        if mark == b"'":
            quoted = opened and not quoted
            opened = quoted
        elif mark != b"${":
            if quoted:
                return True
            opened = False
        elif not quoted:
            opened = True
    return False


_MARKS = re.compile(rb"\$\{|[}'\"]")
_VALUE = rb"""(?:"[^"]*"|'[^']*'|\$\([^()]*\)|`[^`]*`|\([^()]*\)|[^\s"'();&|<>`])*+"""

TRAPS = (
    # `! { …; }`, `time (…)`, `time A=1 make`: taken for programs of that name
    ParserTrap(
        (b"! ", b"!\t", b"!\\", b"time", b"coproc"),
        re.compile(
            rb"(?:!|\btime|\bcoproc)(?:[ \t]|\\\n)+(?:-p[ \t]+|\w+[ \t]+)?"
            rb"(?:[({!]|\[\[|\w+[=\[+]|(?:if|while|until|for|case|select|function)\b)"
        ).search,
    ),
    # `x4=a` without its x, as IFS cuts it: taken for an assignment
    ParserTrap(
        tuple(b"%d" % digit + b"=" for digit in range(10)),
        re.compile(rb"(?:\A|[\s;&|(){}`])\d\w*=").search,
    ),
    # `! export x`, which takes the next line along
    ParserTrap(
        (b"! ", b"!\t"),
        re.compile(rb"![ \t]+(?:export|declare|typeset|local|readonly|unset)\b").search,
    ),
    # an empty value at the end of a line inside of brackets
    ParserTrap((b"=\n",), re.compile(rb"[(`][^()]*\w=\n").search),
    # the second of two commands in backticks, and some inside others or inside `${ }`
    ParserTrap((b"`",), re.compile(rb"`[^`]*`[^`]*`|\$\{[^}$]*`").search),
    ParserTrap((b"${",), _hides_its_end),
    # a word that goes on in the next line
    ParserTrap((b"\\\n",), re.compile(rb"(?:\A|(?<=[\S\n]))\\\n\S").search),
    # a line that begins with a backslash, taken for a part of the line before
    ParserTrap((b"\\",), re.compile(rb"\n[ \t]*\\[^\n]").search),
    # numbers and names of descriptors, taken for arguments
    ParserTrap(
        (b"0<", b"0>", b"}<", b"}>"),
        re.compile(rb"(?<![\w$&<>.])(?:0|(?<!\$)\{\w+\})[<>]").search,
    ),
    # brackets that are words
    ParserTrap((b"] ", b"[ ", b"} ", b"{ "), re.compile(rb"[\]\[{}][ \t]+[\]\[{}]").search),
    # a lone dollar, which takes the next word for a name
    ParserTrap((b"$ ", b"$\t", b"$\n", b"$;"), lambda _: True),
    ParserTrap((b"|&",), lambda _: True),
    # a comparison outside of brackets, which takes the next line along
    ParserTrap(
        (b"==", b"=~"),
        re.compile(
            rb"(?:\A|[\n;&|(){}`])(?:[^\n;&|(){}`\[]|\[(?![\[ \t]))*[ \t]=[=~](?=[\s<>])"
        ).search,
    ),
    ParserTrap((b" =", b" ~", b" !="), re.compile(rb"[ \t](?:!?=|~)[ \t]*[\n<>]").search),
    # redirects of mere assignments, which take the next command along
    ParserTrap(
        (b"=",),
        re.compile(
            rb"(?:\A|[\n;&|()]|(?:\{|\b(?:then|do|else|if|elif|while|until))[ \t])[ \t]*"
            rb"\w+(?:\[[^\]\n]*\])?\+?=" + _VALUE + rb"[ \t]+(?:\d*|&)[<>]"
        ).search,
    ),
    # two assignments alone on a line, which take the next line along
    ParserTrap(
        (b"=",),
        re.compile(
            rb"\w\+?=" + _VALUE + rb"[ \t]+\w+(?:\[[^\]\n]*\])?\+?=" + _VALUE + rb"[ \t]*\n"
        ).search,
    ),
    # a sum in a here-document, taken for commands
    ParserTrap((b"<<",), lambda data: b"$((" in data),
    # a here-document with an odd tag, one behind which a list goes on, one behind a comment
    ParserTrap(
        (b"<<",),
        re.compile(
            rb"(?<!<)<<(?!<)-?[ \t]*(?!(?:\w+|'\w+'|\"\w+\"|\\\w+)(?=[\s;&|<>()]|\Z))"
            rb"|^(?=[^\n]*<<)[^\n]*(?:\||&&)[ \t]*$"
            rb"|(?<!<)<<(?!<)[^\n]*;"
            rb"|^[^\n#]*[^\s#][ \t]+\#[^\n]*\n[^\n]*<<",
            re.MULTILINE,
        ).search,
    ),
)

_LONG_PIPE = re.compile(
    rb"(?<!\|)\|(?!\|)\s*+(?:[^\n|\\]|\\[\s\S]|\|\|)*+\|(?!\|)\s*+[^\n]*\n\s*[^\s\#]"
)
"""Three parts of a pipe, and another line."""
_PLAIN = re.compile(rb"[\w ./,:@%+*?'\";()&|-]*+")
_LONG = 16_384
"""Bytes from which on looking for traps could take longer than reading plainly."""
_IN_PLAIN = re.compile(rb"\|&|time|coproc")


def takes_lines_along(root: tree_sitter.Node, data: bytes) -> bool:
    """Whether a command goes on in the next line.

    The parser does that to the third part of a pipe if a redirect follows somewhere behind it.
    """
    if b"|" not in data or b"\n" not in data or not _LONG_PIPE.search(data):
        return False
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children = node.children
        waiting += children
        if node.type == "command":
            for first, second in pairwise(children):
                gap = data[first.end_byte : second.start_byte]
                if b"\n" in gap and b"\\\n" not in gap:
                    return True
    return False


def is_misread(data: bytes) -> bool:
    """Whether the parser may read something wrongly in a text that it accepts."""
    if _PLAIN.fullmatch(data) and not _IN_PLAIN.search(data):
        return False
    if len(data) > _LONG:
        return True
    # Written out: many commands pass here, and `any` would take longer.
    for signs, found in TRAPS:
        for sign in signs:
            if sign in data:
                if found(data):
                    return True
                break
    return False
