"""Read wrappers with their own way to name a command: terminals, debuggers, loops."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.quoting import decode_ansi_c
from handrail.shell.readers.make_effects import effect
from handrail.shell.word import Word

# tmux and screen

_TMUX_VALUES = {
    "new-session": "ceFfnstxy",
    "new-window": "ceFnSt",
    "split-window": "ceFlpt",
    "respawn-pane": "cet",
    "respawn-window": "cet",
    "run-shell": "cdt",
    "if-shell": "t",
    "pipe-pane": "t",
    "display-popup": "bcdehsStTwxy",
    "send-keys": "cNt",
    "confirm-before": "cpt",
    "command-prompt": "ITpt",
    "set-buffer": "bnt",
}
_TMUX_NAMES = {
    "new": "new-session", "neww": "new-window", "splitw": "split-window", "run": "run-shell",
    "respawnp": "respawn-pane", "respawnw": "respawn-window", "if": "if-shell", "send": "send-keys",
    "pipep": "pipe-pane", "popup": "display-popup", "confirm": "confirm-before",
}  # fmt: skip
_KEYS = re.compile(
    r"(?:Enter|KPEnter|C-[a-z]|M-.|Escape|Tab|BSpace|Up|Down|Left|Right|F\d+)", re.IGNORECASE
)
_NEW_LINE = re.compile(r"(?:Enter|KPEnter|C-m|C-j)", re.IGNORECASE)


def _tmux_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the commands that tmux starts in a window, or types into a shell."""
    words = list(command.argv[1:])
    while words and words[0].text.startswith("-"):
        takes_value = words[0].text[-1] in "cfLST" and not words[0].text.startswith("--")
        del words[: 2 if takes_value else 1]
    for part in _split(words, ";"):
        name = _TMUX_NAMES.get(part[0].text, part[0].text)
        values = _TMUX_VALUES.get(name)
        if values is None:
            continue
        rest = _operands(part[1:], values)
        if name == "send-keys":
            yield from _typed(rest)
        elif name in {"if-shell", "confirm-before"}:
            yield from rest
        elif rest:
            yield " ".join(rest)


def _split(words: list[Word], mark: str) -> Iterator[list[Word]]:
    part: list[Word] = []
    for word in words:
        if word.text in {mark, "\\" + mark}:
            if part:
                yield part
            part = []
        else:
            part.append(word)
    if part:
        yield part


def _operands(words: list[Word], values: str) -> list[str]:
    """Return the words after a subcommand's options; `values`: the letters with a value."""
    index = 0
    while index < len(words) and re.match(r"-[A-Za-z]", words[index].text):
        text = words[index].text
        index += 2 if text[-1] in values and len(text) == 2 else 1
    return [word.text for word in words[index:]]


def _typed(keys: list[str]) -> Iterator[str]:
    line = ""
    for key in keys:
        if _NEW_LINE.fullmatch(key):
            yield line
            line = ""
        elif not _KEYS.fullmatch(key):
            line += " " if key == "Space" else key
    if line:
        yield line


def _screen_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Read `screen -X stuff 'text^M'`, which types into a shell, and `screen -X exec cmd`."""
    words = [word.text for word in command.argv[1:]]
    if "-X" not in words:
        return
    rest = words[words.index("-X") + 1 :]
    if rest[:1] == ["stuff"]:
        text = decode_ansi_c(" ".join(rest[1:]))
        yield from re.split(r"\^M|\r|\n", text)
    elif rest[:1] in (["exec"], ["screen"]):
        yield " ".join(rest[1:])


# Loops and scripts


def _each_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Read hyperfine, concurrently: every operand is a command line."""
    for word in call.operands:
        yield word.text


_TCL = re.compile(r"(?:^|[;\[{\n])\s*(?:exec|spawn|system)\s+(?:-\w+\s+)*([^;\]\n}]+)")


def _tcl_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Read expect and tclsh: `spawn cmd`, `exec cmd`, and the text sent to a spawned shell."""
    texts = [word.text for word in call.values("-c")]
    if command.input is not None:
        texts.append(command.input)
    for text in texts:
        yield from (match[1] for match in _TCL.finditer(text))
        for match in re.finditer(r"\bfile\s+delete\s+(?:-force\s+)?(?:--\s+)?([^;\]\n}]+)", text):
            yield f"rm -rf {match[1]}"
        for sent in re.findall(r"\bsend\s+(?:-\w+\s+)*\"((?:[^\"\\]|\\.)*)\"", text):
            yield decode_ansi_c(sent)


def _flock_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Read `flock file -c 'script'`: the option follows the operand."""
    words = command.argv[1:]
    for index, word in enumerate(words[:-1]):
        if word.text in {"-c", "--command"}:
            yield words[index + 1].text
            return


_BWRAP_FLAGS = re.compile(
    r"--(?:unshare-\S+|share-net|clearenv|new-session|die-with-parent|as-pid-1)"
)
_BWRAP_PAIRS = re.compile(
    r"--(?:(?:ro-|dev-)?bind(?:-try|-data|-fd)?|symlink|setenv|file|chmod|overlay)"
)


def _bwrap_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Read bwrap: its options take no, one or two values; the rest is the command."""
    words = [word.text for word in command.argv[1:]]
    index = 0
    while index < len(words) and words[index].startswith("--") and words[index] != "--":
        if _BWRAP_FLAGS.fullmatch(words[index]):
            index += 1
        else:
            index += 3 if _BWRAP_PAIRS.fullmatch(words[index]) else 2
    if words[index : index + 1] == ["--"]:
        index += 1
    yield shlex.join(words[index:])


def _timeit_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Read `python -m timeit -s setup code`: both are Python."""
    for word in (*call.values("-s", "--setup"), *call.operands):
        yield f"python -c {shlex.quote(word.text)}"


def _m4_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    if command.input is not None:
        yield from re.findall(r"(?:syscmd|esyscmd|maketemp)\(\s*[`\[]*([^')\]]+)", command.input)


def _nothing(command: Command, call: ParsedArguments) -> Iterable[Effect]:
    """Yield nothing: these programs only do what their commands do."""
    return ()


SCRIPTS: dict[str, Callable[[Command, ParsedArguments], Iterable[str]]] = {
    "multiplexer": _tmux_scripts,
    "screen": _screen_scripts,
    "each": _each_scripts,
    "tcl": _tcl_scripts,
    "m4": _m4_scripts,
    "flock": _flock_scripts,
    "bwrap": _bwrap_scripts,
    "timeit": _timeit_scripts,
}

_LENDERS = frozenset(
    {"aws-vault", "op", "doppler", "infisical", "chamber", "teller", "sops", "bws"}
)
_CREDENTIAL = re.compile(
    r"SECRET|TOKEN|PASSW|CREDENTIAL|PRIVATE_KEY|ACCESS_KEY|API_?KEY|DATABASE_URL", re.IGNORECASE
)


def _environment(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read env and printenv: they show all variables, even those lent by a store of secrets."""
    names = [word.text for word in call.operands]
    if names and (command.name != "printenv" or not any(map(_CREDENTIAL.search, names))):
        return
    high = bool(names) or bool(_LENDERS.intersection(command.via))
    yield effect(
        Kind.SECRET, "the environment", severity=Severity.HIGH if high else Severity.LOW,
        says=f"prints {' '.join(names) or 'all variables'}, credentials among them" if high
        else "prints all variables",
        instead="See only whether it is set: `test -n \"$NAME\"`." if high else "",
    )  # fmt: skip


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    **dict.fromkeys(SCRIPTS, _nothing),
    "environment": _environment,
}
