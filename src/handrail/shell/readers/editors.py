"""Read the commands given to editors: `vim -c`, `ex`, `ed`, `emacs --eval`, `less +!`."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.readers.make_effects import path_effect
from handrail.shell.readers.shells import opened_shells
from handrail.shell.word import Word

_MAX_LINES = 200
_SKIPPED = re.compile(
    r"[\s:%\d.$,;+\-'<>]+|\\[/?&]|g?/[^/]*/"
    r"|(?:sil(?:ent)?!?|noa(?:utocmd)?|keepj(?:umps)?|keepp(?:atterns)?|verb(?:ose)?)\s+"
)
"""Ranges, and words that only change how a line runs."""
_TO_SHELL = re.compile(
    r"(?:r(?:ead)?|w(?:rite)?!?|e(?:dit)?)?\s*!(?P<bang>.*)"
    r"|(?:ter(?:minal)?|te|Term(?:inal)?|split\s+term://|e\s+term://)\s+(?P<term>.+)",
    re.DOTALL,
)
_SHELL = re.compile(r"(?:sh(?:ell)?|ter(?:minal)?)\s*(?:\||$)")
_SCRIPTED = re.compile(r"(?P<language>py(?:thon)?[3x]?|lua|perl|ruby)\s+(?P<code>.+)", re.DOTALL)
_SYSTEM = re.compile(
    r"(?:\b(?:system(?:list)?|jobstart|termopen|job_start|term_start|execute|popen|spawn)\s*\(\s*"
    r"\[?)\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*')"
)
_EXECUTE = re.compile(r"exe(?:cute)?\s+(\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*')")
_WRITES = re.compile(r"(?:w(?:rite)?|wq|x|sav(?:eas)?|up(?:date)?)!?\s+(?:>>\s*)?([^\s!|][^|]*)")
_READS = re.compile(r"r(?:ead)?\s+([^\s!|][^|]*)")
_OPENS = re.compile(r"(?:e(?:dit)?!?|sp(?:lit)?|vs(?:plit)?|tabe(?:dit)?)\s+([^\s!|][^|]*)")
_CALLS = re.compile(r"\b(delete|writefile|rename)\s*\((.*)")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'")
_INTERPRETERS = {"py": "python3 -c", "lua": "lua -e", "perl": "perl -e", "ruby": "ruby -e"}


def _unquoted(text: str) -> str:
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _ex_lines(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Yield the lines that an editor of the vi family will run."""
    for value in call.values("-c", "--cmd"):
        yield value.text
    for word in call.operands:
        if word.text.startswith("+") and not word.text[1:].isdigit():
            yield word.text[1:]
    batch = command.name in {"ex", "ed", "red"} or call.has("-s", "-es", "-Es", "-e", "-E")
    if batch and command.input is not None:
        yield from command.input.splitlines()[:_MAX_LINES]


def _bare(line: str) -> str:
    """Return a line without its range and without words that only change how it runs."""
    text = line
    while match := _SKIPPED.match(text):
        text = text[match.end() :]
    return text


def ex_scripts(line: str) -> Iterator[str]:
    """Yield the command lines that one line of ex hands to a shell."""
    text = _bare(line)
    if _SHELL.match(text):
        yield "sh"
        return
    shell = _TO_SHELL.match(text)
    if shell:
        yield shell["bang"] or shell["term"] or ""
        return
    code = _SCRIPTED.match(text)
    if code:
        language = "py" if code["language"].startswith("py") else code["language"]
        yield f"{_INTERPRETERS[language]} {shlex.quote(code['code'])}"
        return
    for match in _EXECUTE.finditer(text):
        yield from ex_scripts(_unquoted(match[1]))
    for match in _SYSTEM.finditer(text):
        yield _unquoted(match[1])
    if "|" in text:
        yield from ex_scripts(text.partition("|")[2])


def _vim_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    for line in _ex_lines(command, call):
        yield from ex_scripts(line)


def _vim(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    only_reads = command.name in {"view", "gview", "rview", "vimdiff", "nvimdiff"} or call.has("-R")
    kind = Kind.READ if only_reads else Kind.WRITE
    for word in call.operands:
        if not word.text.startswith("+") and word.text != "-":
            yield path_effect(kind, join(command.cwd, word))
    for line in _ex_lines(command, call):
        yield from _ex_paths(command, _bare(line), kind)
    yield from opened_shells(command.name, _vim_scripts(command, call))


def _ex_paths(command: Command, text: str, opened: Kind) -> Iterator[Effect]:
    for pattern, does in ((_WRITES, Kind.WRITE), (_READS, Kind.READ), (_OPENS, opened)):
        match = pattern.match(text)
        if match:
            yield path_effect(does, join(command.cwd, Word(match[1].strip())))
    match = _CALLS.search(text)
    strings = [_unquoted(found) for found in _STRING.findall(match[2])] if match else []
    if match and strings:
        kind = Kind.DELETE if match[1] == "delete" else Kind.WRITE
        path = strings[0] if kind is Kind.DELETE else strings[-1]
        yield path_effect(kind, join(command.cwd, Word(path)), recursive="rf" in strings[1:])


_LISP_SHELL = re.compile(
    r"\((?:async-)?(?:shell-command(?:-to-string|-on-region)?|compile|eshell-command)\s+"
    r"(\"(?:[^\"\\]|\\.)*\")"
)
_LISP_TERMINAL = re.compile(r"\((?:ansi-term|term|shell|eshell|vterm)\s*(\"(?:[^\"\\]|\\.)*\")?")
_LISP_PROCESS = re.compile(
    r"\((?:call-process|start-process|process-lines|make-process|process-file)(?:-region)?\s+([^()]*)"
)
_LISP_PATH = re.compile(
    r"\((delete-file|delete-directory|write-file|append-to-file|find-file|insert-file-contents"
    r"|rename-file|copy-file|with-temp-file|load-file)\s+(\"(?:[^\"\\]|\\.)*\")"
)
_LISP_KINDS = {
    "delete-file": Kind.DELETE, "delete-directory": Kind.DELETE, "find-file": Kind.READ,
    "insert-file-contents": Kind.READ, "copy-file": Kind.READ, "load-file": Kind.READ,
}  # fmt: skip


def _lisp(call: ParsedArguments) -> str:
    return "\n".join(
        word.text for word in call.values("--eval", "-eval", "--execute", "-execute", "-e")
    )


def _emacs_scripts(_: Command, call: ParsedArguments) -> Iterator[str]:
    code = _lisp(call)
    for match in _LISP_SHELL.finditer(code):
        yield _unquoted(match[1])
    for match in _LISP_TERMINAL.finditer(code):
        yield _unquoted(match[1]) if match[1] else "sh"
    for match in _LISP_PROCESS.finditer(code):
        words = [_unquoted(found) for found in _STRING.findall(match[1])]
        yield shlex.join(words)


def _emacs(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    for word in call.operands:
        if not word.text.startswith("+"):
            yield path_effect(Kind.WRITE, join(command.cwd, word))
    for match in _LISP_PATH.finditer(_lisp(call)):
        kind = _LISP_KINDS.get(match[1], Kind.WRITE)
        deep = match[1] == "delete-directory"
        yield path_effect(kind, join(command.cwd, Word(_unquoted(match[2]))), recursive=deep)
    yield from opened_shells(command.name, _emacs_scripts(command, call))


def _pager_scripts(_: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the command of `less +!cmd`."""
    for word in call.operands:
        if word.text.startswith("+") and "!" in word.text:
            yield word.text.partition("!")[2]


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "vim": _vim,
    "emacs": _emacs,
}
SCRIPTS: dict[str, Callable[[Command, ParsedArguments], Iterable[str]]] = {
    "vim": _vim_scripts,
    "emacs": _emacs_scripts,
    "pager": _pager_scripts,
}
