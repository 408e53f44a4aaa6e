"""Seeds and mutations for the fuzzer: real rows of the test cases, cut up and put together."""

from functools import cache
from pathlib import Path

import yaml
from hypothesis import strategies as st
from tests.fuzz.hostile import COMMANDS, HIDDEN

MAX_LENGTH = 4_000
"""Longer texts test the patience of the machine, not the reader; `hostile` has those."""
_CASES = Path(__file__).parents[1] / "cases"
_TOKENS = [
    *"' \" ` $ $( ) ( { } ${ $(( )) [[ ]] | || & && ; ;; << <<- <<< < > >> <( >( # !".split(),
    *"~ * ? [ ] = \\ é 💣 -rf -c -- /etc ~/.ssh {a,b} {1..9} $IFS $@ $1 ${x:-y} ${x//a/b}".split(),
    *"eval sh bash sudo env xargs python3 base64 -d echo if then fi for in do done while".split(),
    *"${!x} EOF case esac function f() x= +=".split(),
    *(" ", "\\\n", "\n", "\r\n", "\t", "\0", "\x1b", "\ud800", "\u202e", "\ufeff", "$'\\x41'"),
]


@cache
def seeds() -> tuple[str, ...]:
    """Command lines to begin with: every text in tests/cases, and the short hostile ones."""
    found: list[str] = []
    for path in sorted(_CASES.glob("*.yaml")):
        _collect(yaml.safe_load(path.read_text()), found)
    found += [make() for make in (*COMMANDS.values(), *HIDDEN.values())]
    return tuple(dict.fromkeys(text for text in found if text and len(text) < MAX_LENGTH // 2))


def _collect(value: object, found: list[str]) -> None:
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, list):
        for item in value:
            _collect(item, found)
    elif isinstance(value, dict):
        for item in value.values():
            _collect(item, found)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A seed after a few mutations."""
    text = draw(st.sampled_from(seeds()))
    for _ in range(draw(st.integers(0, 6))):
        start, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        piece = text[start:end]
        kind = draw(st.sampled_from("insert insert delete double swap splice repeat quote".split()))
        if kind == "insert":
            piece += draw(st.sampled_from(_TOKENS) | st.text(max_size=3))
        elif kind == "delete":
            piece = ""
        elif kind == "double":
            piece += piece
        elif kind == "swap":
            piece = piece[::-1]
        elif kind == "splice":
            piece = draw(st.sampled_from(seeds()))[start:]
        elif kind == "repeat":
            piece *= draw(st.integers(0, 50))
        else:
            mark = draw(st.sampled_from(["'", '"', "`", "$'"]))
            piece = mark + piece + mark[-1]
        text = (text[:start] + piece + text[end:])[:MAX_LENGTH]
    return text
