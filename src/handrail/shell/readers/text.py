"""Read programs whose arguments are expressions and files: jq, yq, fzf."""

import re
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.readers.make_effects import path_effect

_PAIRS = frozenset({"--arg", "--argjson", "--slurpfile", "--rawfile", "--argfile"})
_JQ_VALUES = frozenset({"-L", "--indent", "--library-path", "--tab-size"})
_JQ_PROGRAM = frozenset({"-f", "--from-file"})


def _jq(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read jq: a program, then files; some options take two values."""
    words = command.argv[1:]
    named = call.values("-f", "--from-file")
    files = named[:0]
    program = bool(named)
    index = 0
    while index < len(words):
        text = words[index].text
        if text in {"--args", "--jsonargs"}:
            break
        if text in _PAIRS:
            if text not in {"--arg", "--argjson"}:
                named += words[index + 2 : index + 3]
            index += 2
        elif text in _JQ_VALUES or text in _JQ_PROGRAM:
            index += 1
        elif not text.startswith("-") or text == "-":
            files += [words[index]] if program else []
            program = True
        index += 1
    for file in (*named, *files):
        yield path_effect(Kind.READ, join(command.cwd, file))


_YQ_VERBS = frozenset({"eval", "e", "eval-all", "ea"})


def _yq(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `yq [eval] EXPRESSION file…`; with `-i` it changes the files."""
    operands = list(call.operands)
    if operands and operands[0].text in _YQ_VERBS:
        operands = operands[1:]
    if not call.has("--from-file", "--expression"):
        operands = operands[1:]
    kind = Kind.WRITE if call.has("-i", "--inplace", "--in-place") else Kind.READ
    for file in operands:
        yield path_effect(kind, join(command.cwd, file))


_ACTION = re.compile(
    r"\b(?:execute(?:-silent)?|become|reload(?:-sync)?|preview|transform)"
    r"(?:\((?P<round>[^)]*)\)|:(?P<rest>.*)|\[(?P<square>[^]]*)\]|\{(?P<curly>[^}]*)\})"
)


def _fzf_scripts(_: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the commands of `--preview cmd`, `--bind 'enter:execute(cmd)'`."""
    for value in call.values("--preview"):
        yield value.text
    for value in call.values("--bind"):
        for action in _ACTION.finditer(value.text):
            yield next((text for text in action.groups() if text), "")


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "jq": _jq,
    "yq": _yq,
}
SCRIPTS: dict[str, Callable[[Command, ParsedArguments], Iterable[str]]] = {
    "fzf": _fzf_scripts,
}
