"""What holds for every command line, whoever wrote it.

A payload is wrapped at random in everything that a shell offers, and has to be found in all
of it; the same payload as mere data must not be. Nothing is run but `printf` of a few
harmless characters, to compare with a real bash.
"""

import posixpath
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from handrail.model import Kind
from handrail.shell import OPAQUE, UnreadableError, Word, read
from handrail.shell.options import OptionGrammar, parse
from handrail.shell.paths import join, normalise
from handrail.shell.quoting import brace_expand, decode_ansi_c, mask, unmask

pytestmark = pytest.mark.slow

PAYLOAD = "rm -rf /etc"
MAX_LAYERS = 4


def deleted(text: str) -> set[str]:
    """The paths that a command line deletes."""
    effects = read(text, cwd="/work/x", environ={"HOME": "/home/test"}).effects
    return {effect.target for effect in effects if effect.kind is Kind.DELETE}


# Any text at all

_PIECES = """$( ) ( { } ` ' " $' $" ${ $(( )) [[ ]] [ ] | || & && ; ;; ;& << <<- <<< < > >> >& <( >(
    # ! ~ * ? = += \\ rm -rf /etc sh -c eval if then else fi for in do done while case esac function
    f() x=1 $x ${x:-y} ${x//a/b} ${!x} ${#x} $@ $* $1 EOF {a,b} {1..3} sudo env xargs find -exec
    \\; echo printf %s base64 -d python3 git push --force é \u202e \x00 \x07"""
_SHELL_PIECES = st.sampled_from([*_PIECES.split(), "\n", "\t", "\\\n"])


@given(st.text())
@example("\ud800")
@example("${²}")
@example("{\U000771a8\U000ee563Âk:")
@example("$((1" + "+1" * 2000 + "))")
def test_any_text_is_read_or_refused(text: str) -> None:
    _read_or_refuse(text)


@given(st.lists(_SHELL_PIECES, max_size=40).map(" ".join))
@settings(max_examples=300)
def test_any_pieces_of_shell_are_read_or_refused(text: str) -> None:
    _read_or_refuse(text)


@given(st.lists(_SHELL_PIECES, max_size=40).map("".join))
@settings(max_examples=300)
def test_any_glued_pieces_of_shell_are_read_or_refused(text: str) -> None:
    _read_or_refuse(text)


def _read_or_refuse(text: str) -> None:
    try:
        reading = read(text, cwd="/work/x")
    except UnreadableError:
        return
    assert all(effect.text for effect in reading.effects)


# The payload, quoted and wrapped


@st.composite
def spelled(draw: st.DrawFn, word: str) -> str:
    """One word in any spelling that a shell takes for it."""
    pieces: list[str] = []
    rest = word
    while rest:
        size = draw(st.integers(1, len(rest)))
        piece, rest = rest[:size], rest[size:]
        style = draw(st.sampled_from(["plain", "single", "double", "ansi", "escaped", "empty"]))
        if style == "single":
            pieces.append(f"'{piece}'")
        elif style == "double":
            pieces.append(f'"{piece}"')
        elif style == "ansi":
            codes = draw(st.sampled_from(["\\x{:02x}", "\\{:03o}", "\\u{:04x}"]))
            pieces.append("$'" + "".join(codes.format(ord(char)) for char in piece) + "'")
        elif style == "escaped":
            pieces.append("".join(f"\\{char}" for char in piece))
        elif style == "empty":
            pieces.append(f"''{piece}" + '""')
        else:
            pieces.append(piece)
    return "".join(pieces)


@st.composite
def payloads(draw: st.DrawFn) -> str:
    """`rm -rf /etc`, in any spelling."""
    program = draw(st.sampled_from(["rm", "/bin/rm", "/usr/bin/rm"]))
    options = draw(st.sampled_from([["-rf"], ["-r", "-f"], ["-fr"], ["--recursive", "-f"], ["-R"]]))
    path = draw(st.sampled_from(["/etc", "/etc/", "//etc", "/./etc", "/usr/../etc", "/etc/."]))
    words = [program, *options, path]
    return draw(st.sampled_from([" ", "  ", "\t"])).join(draw(spelled(word)) for word in words)


def _in_quotes(prefix: str) -> Callable[[str], str]:
    return lambda text: f"{prefix} {shlex.quote(text)}"


def _as_heredoc(shell: str) -> Callable[[str], str]:
    def wrap(text: str) -> str:
        tag = "E"
        while tag in text:
            tag += "E"
        return f"{shell} <<'{tag}'\n{text}\n{tag}"

    return wrap


LAYERS: dict[str, Callable[[str], str]] = {
    "sh -c": _in_quotes("sh -c"),
    "bash -c": _in_quotes("bash -c"),
    "bash -lc": _in_quotes("/bin/bash -lc"),
    "sudo sh -c": _in_quotes("sudo sh -c"),
    "env sh -c": _in_quotes("env A=1 sh -c"),
    "timeout sh -c": _in_quotes("timeout 5 sh -c"),
    "nohup sh -c": _in_quotes("nohup nice -n 5 sh -c"),
    "eval": _in_quotes("eval"),
    "heredoc": _as_heredoc("sh"),
    "heredoc bash -s": _as_heredoc("bash -s"),
    "echo to sh": lambda text: f"echo {shlex.quote(text)} | sh",
    "printf to sh": lambda text: f"printf '%s\\n' {shlex.quote(text)} | bash",
    "here string": lambda text: f"bash <<< {shlex.quote(text)}",
    "xargs": lambda text: f"printf '%s\\0' {shlex.quote(text)} | xargs -0 -I@ sh -c @",
    "substitution": lambda text: f"echo $({text}\n)",
    "quoted substitution": lambda text: f'x="$({text}\n)"',
    "process substitution": lambda text: f"cat <({text}\n)",
    "subshell": lambda text: f"( {text}\n)",
    "group": lambda text: f"{{ {text}\n}}",
    "if": lambda text: f"if true; then\n{text}\nfi",
    "else": lambda text: f"if false; then :; else\n{text}\nfi",
    "condition": lambda text: f"if {text}\nthen :; fi",
    "for": lambda text: f"for i in 1 2; do\n{text}\ndone",
    "while": lambda text: f"while true; do\n{text}\ndone",
    "case": lambda text: f"case x in x)\n{text}\n;; esac",
    "function": lambda text: f"f() {{ {text}\n}}; f",
    "function keyword": lambda text: f"function f {{\n{text}\n}}\nf",
    "variable": lambda text: f'x={shlex.quote(text)}; eval "$x"',
    "variable to sh": lambda text: f'x={shlex.quote(text)}; sh -c "$x"',
    "file": lambda text: f"echo {shlex.quote(text)} > f.sh; sh f.sh",
    "trap": lambda text: f"trap {shlex.quote(text)} EXIT",
    "and": lambda text: f"true && {{ {text}\n}}",
    "or": lambda text: f"false || {{ {text}\n}}",
    "pipe": lambda text: f"true | {{ {text}\n}} | cat",
    "background": lambda text: f"{{ {text}\n}} &",
    "negation": lambda text: f"! {{ {text}\n}}",
    "timed": lambda text: f"time {{ {text}\n}}",
    "twice negated": lambda text: f"! ! ( {text}\n)",
    "groups": lambda text: f"{{ {{ {text}\n}} }}",
    "for arguments": lambda text: f"for i do {text}\ndone",
    "until": lambda text: f"until false; do {text}\ndone",
    "select": lambda text: f"select i in 1; do {text}\ndone",
    "here string behind a redirect": lambda text: f"bash 2>/dev/null <<< {shlex.quote(text)}",
    "here string to a group": lambda text: f"{{ bash; }} <<< {shlex.quote(text)}",
    "redirected assignment": lambda text: f"x=$({text}\n) 2>/dev/null",
    "before": lambda text: f"{text}\necho done",
    "behind": lambda text: f"cd /tmp; ls -la | head; {text}",
    "redirected": lambda text: f"{{ {text}\n}} > /dev/null 2>&1",
}


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The payload somewhere inside a valid program."""
    text = draw(payloads())
    for _ in range(draw(st.integers(0, MAX_LAYERS))):
        text = LAYERS[draw(st.sampled_from(sorted(LAYERS)))](text)
    return text


@given(programs())
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
def test_the_payload_is_found_in_every_program(text: str) -> None:
    assert "/etc" in deleted(text)


@pytest.mark.parametrize("outer", LAYERS)
def test_the_payload_is_found_behind_any_two_layers(outer: str) -> None:
    texts = {inner: LAYERS[outer](LAYERS[inner](PAYLOAD)) for inner in LAYERS}
    assert [inner for inner, text in texts.items() if "/etc" not in deleted(text)] == []


@given(payloads())
def test_the_payload_is_found_in_any_spelling(text: str) -> None:
    assert deleted(text) == {"/etc"}


@given(
    st.lists(
        st.sampled_from(
            [
                "sudo",
                "env",
                "env A=1 B=2",
                "timeout 5",
                "timeout -s KILL 5s",
                "nohup",
                "nice -n 10",
                "time",
                "command",
                "exec",
                "setsid",
                "stdbuf -o0",
                "ionice -c 3",
                "sudo -u root",
                "env -i",
                "doas",
            ]
        ),
        max_size=5,
    )
)
def test_the_payload_is_found_behind_wrappers(wrappers: list[str]) -> None:
    assert "/etc" in deleted(" ".join([*wrappers, PAYLOAD]))


# The payload as data

DATA: dict[str, Callable[[str], str]] = {
    "echo": lambda text: f"echo {shlex.quote(text)}",
    "printf": lambda text: f"printf '%s\\n' {shlex.quote(text)}",
    "grep": lambda text: f"grep -rn {shlex.quote(text)} src",
    "rg": lambda text: f"rg -F {shlex.quote(text)}",
    "commit message": lambda text: f"git commit -m {shlex.quote(text)}",
    "log search": lambda text: f"git log --grep {shlex.quote(text)}",
    "comment": lambda text: "ls # " + text.replace("\n", " "),
    "heredoc to a file": _as_heredoc("cat > notes.txt"),
    "heredoc to cat": _as_heredoc("cat"),
    "variable": lambda text: f"x={shlex.quote(text)}",
    "exported": lambda text: f"export X={shlex.quote(text)}",
    "array": lambda text: f"x=({shlex.quote(text)})",
    "case pattern": lambda text: f"case {shlex.quote(text)} in *) ls;; esac",
    "test": lambda text: f"[ {shlex.quote(text)} = x ]",
    "double test": lambda text: f"[[ {shlex.quote(text)} == x ]]",
    "loop value": lambda text: f'for i in {shlex.quote(text)}; do echo "$i"; done',
    "argument of a function": lambda text: f'f() {{ echo "$1"; }}; f {shlex.quote(text)}',
    "function that is not called": lambda text: f"f() {{ {text}\n}}",
    "to a file": lambda text: f"echo {shlex.quote(text)} > notes.txt",
    "to wc": lambda text: f"echo {shlex.quote(text)} | wc -c",
    "syntax check": lambda text: f"bash -n -c {shlex.quote(text)}",
    "tee": lambda text: f"echo {shlex.quote(text)} | tee notes.txt",
    "jq": lambda text: f"jq --arg x {shlex.quote(text)} '.a' f.json",
}


@given(st.sampled_from(sorted(DATA)), payloads())
def test_the_payload_as_data_deletes_nothing(how: str, text: str) -> None:
    assert deleted(DATA[how](text)) == set()


@pytest.mark.parametrize("how", DATA)
def test_the_plain_payload_as_data_deletes_nothing(how: str) -> None:
    assert deleted(DATA[how](PAYLOAD)) == set()


# Words

_WORD = st.text(st.characters(exclude_categories=["Cs", "Co"], exclude_characters="\0" + OPAQUE))


@given(st.lists(_WORD, max_size=6))
@example(["=a"])
@example(["$IFS"])
@example(["{a,b}"])
@example(["~"])
@example(["#"])
@example(["é"])
@example(["\\"])
@example(["\r"])
@example(["\n"])
@example(["a\\\nb"])
@example(["!"])
def test_quoted_words_come_back_as_they_were(words: list[str]) -> None:
    argv = ["printf-like", *words]
    commands = read(shlex.join(argv), cwd="/").program.commands
    assert [[word.text for word in command.argv] for command in commands] == [argv]
    assert not any(word.glob for command in commands for word in command.argv)


@given(_WORD)
def test_masked_text_comes_back(text: str) -> None:
    assume(not re.search("[\ue000-\ue0ff]", text))
    assert unmask(mask(text)) == text


# Paths

_PATHS = st.lists(st.sampled_from(["a", "b", "..", ".", "", "...", "a.b", ".a"]), max_size=8).map(
    "/".join
)


@given(_PATHS.map("/".__add__))
def test_normal_paths_are_those_of_posixpath(path: str) -> None:
    assert normalise(path) == re.sub("^//", "/", posixpath.normpath(path))


@given(_PATHS)
def test_normal_paths_stay_normal(path: str) -> None:
    assert normalise(normalise(path)) == normalise(path)


@given(_PATHS, _PATHS)
def test_joined_paths_are_those_of_posixpath(folder: str, path: str) -> None:
    cwd = "/" + folder
    expected = re.sub("^//", "/", posixpath.normpath(posixpath.join(cwd, path)))
    assert join(Word(cwd), Word(path)).text == expected


# Compared with bash

BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="there is no bash")
_BATCH = 40
"""Patterns that one bash prints, so that few processes are started."""


def _bash(script: str) -> str:
    """What a bash prints; only ever given `printf` of a few harmless characters."""
    assert BASH is not None
    done = subprocess.run(
        [BASH, "--norc", "--noprofile", "-fc", script],
        capture_output=True,
        check=True,
        timeout=20,
        env={"LC_ALL": "C.UTF-8"},
    )
    return done.stdout.decode("utf-8", "surrogateescape")


_SEQUENCES = st.tuples(
    st.integers(-3, 5), st.integers(-3, 5), st.sampled_from(["", "..1", "..2"])
).map(lambda numbers: f"{{{numbers[0]}..{numbers[1]}{numbers[2]}}}")
_LETTERS = st.tuples(st.sampled_from("abc"), st.sampled_from("abc")).map(
    lambda letters: f"{{{letters[0]}..{letters[1]}}}"
)
_BRACES = st.recursive(
    st.sampled_from(["a", "b", "", "x1", "-", "/"]) | _SEQUENCES | _LETTERS,
    lambda inner: (
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: "{" + ",".join(parts) + "}")
        | st.lists(inner, min_size=1, max_size=3).map("".join)
    ),
    max_leaves=5,
)


@needs_bash
@given(st.lists(_BRACES, min_size=1, max_size=_BATCH))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_braces_expand_as_in_bash(patterns: list[str]) -> None:
    patterns = [pattern for pattern in patterns if len(brace_expand(pattern)) < 60]
    assume(patterns)
    # An x in front keeps words that come out empty, which bash would drop.
    lines = _bash("\n".join(f"printf '%s ' x{pattern}; echo" for pattern in patterns)).split("\n")
    for pattern, line in zip(patterns, lines, strict=False):
        assert brace_expand(f"x{pattern}") == line[:-1].split(" "), pattern


_ESCAPES = st.lists(
    st.sampled_from(
        ["\\n", "\\t", "\\\\", "\\'", '\\"', "\\a", "\\b", "\\e", "\\E", "\\f", "\\r", "\\v", "\\?"]
    )
    | st.integers(1, 127).map("\\x{:02x}".format)
    | st.integers(1, 127).map("\\{:03o}".format)
    | st.integers(1, 7).map("\\{:o}".format)
    | st.integers(1, 0xD7FF).map("\\u{:04x}".format)
    | st.integers(1, 0xD7FF).map("\\U{:08x}".format)
    | st.sampled_from(["a", "7", "f", " ", "-", "é", "\\z", "\\cA", "\\ca", "\\c?"]),
    max_size=6,
).map("".join)


@needs_bash
@given(st.lists(_ESCAPES, min_size=1, max_size=_BATCH))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_ansi_c_strings_decode_as_in_bash(texts: list[str]) -> None:
    printed = _bash("\n".join(f"printf '%s\\0' $'{text}'" for text in texts)).split("\0")
    for text, line in zip(texts, printed, strict=False):
        assert decode_ansi_c(text) == line, text


@needs_bash
@given(st.lists(st.lists(_ESCAPES | _BRACES, max_size=3), min_size=1, max_size=10))
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_quoted_words_reach_bash_as_they_were(lines: list[list[str]]) -> None:
    script = "\n".join(shlex.join(["printf", "%s\\0", *words, "end"]) for words in lines)
    commands = read(script, cwd="/").program.commands
    seen = [word.text for command in commands for word in command.argv[2:]]
    assert seen == _bash(script).split("\0")[:-1]


# Options

_OPTION_WORDS = st.lists(
    st.sampled_from(
        ["-a", "-b", "-ab", "-ovalue", "-o", "--out", "--out=x", "--long", "x", "y", "-", "--", ""]
    ),
    max_size=8,
)
_GRAMMARS = st.builds(
    OptionGrammar,
    values=st.sampled_from([frozenset(), frozenset({"-o"}), frozenset({"-o", "--out"})]),
    single_dash=st.booleans(),
    posix=st.booleans(),
)


@given(_OPTION_WORDS, _GRAMMARS)
def test_operands_stand_where_they_say(texts: list[str], grammar: OptionGrammar) -> None:
    argv = [Word(text) for text in texts]
    call = parse(argv, grammar)
    assert [argv[place - 1] for place in call.places] == list(call.operands)
    assert list(call.places) == sorted(set(call.places))


@given(_OPTION_WORDS, _GRAMMARS)
@example(["-o"], OptionGrammar(values=frozenset({"-o"})))
def test_no_word_is_lost(texts: list[str], grammar: OptionGrammar) -> None:
    call = parse([Word(text) for text in texts], grammar)
    kept = " ".join(
        [*call.options, *(word.text for words in call.options.values() for word in words)]
        + [word.text for word in call.operands]
    )
    for text in texts:
        if text not in {"--", ""}:
            assert all(part in kept for part in re.split("[-=]", text) if len(part) == 1), text


@given(st.lists(st.sampled_from(["-a", "x", "--", "-rf", "--out"]), max_size=8))
def test_behind_two_dashes_all_are_operands(texts: list[str]) -> None:
    call = parse([Word("--"), *map(Word, texts)], OptionGrammar())
    assert [word.text for word in call.operands] == texts
    assert not call.options
