"""Shells and interpreters: the code that they are given as text, on their input, or in a file."""

import re
from collections.abc import Sequence
from posixpath import dirname
from posixpath import join as join_path
from typing import TYPE_CHECKING

import msgspec

from handrail.model.effect import Kind
from handrail.shell.code_files import (
    CODE_FILES,
    LANGUAGE_OF_ENDING,
    OPERANDS_RUN,
    ask_for_printed,
    ending_of,
    input_text,
    named_files,
    operand_files,
)
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.inline import read_code
from handrail.shell.inline.value import STATE
from handrail.shell.nested_code import module_words, run_known_script
from handrail.shell.program_lookup import ProgramEntry
from handrail.shell.shell_options import start_shell
from handrail.shell.shells import has_text, read_shell
from handrail.shell.word import UNKNOWN, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_SHEBANG = re.compile(r"#!\s*(?:\S*/env\s+(?:-S\s+)?)?(?:\S*/)?([a-z]+)")
_STDIN = frozenset({"-", "/dev/stdin"})
_OPTION_LISTS = frozenset({"BASHOPTS", "SHELLOPTS"})


class InterpreterCall(msgspec.Struct, frozen=True):
    """How an interpreter is given code on its command line."""

    name: str
    code_options: tuple[str, ...]
    stops: tuple[str, ...] = ()
    """Options after which the rest belongs to something else (`python -m`)."""
    first_operand: bool = False
    """The first operand is the code (awk, sed)."""


LANGUAGES = {
    "python": InterpreterCall("python", ("-c",), ("-m",)),
    "node": InterpreterCall("javascript", ("-e", "--eval", "-p", "--print", "-pe")),
    "perl": InterpreterCall("perl", ("-e", "-E")),
    "ruby": InterpreterCall("ruby", ("-e",)),
    "php": InterpreterCall("php", ("-r", "--run", "-B", "-R", "-E")),
    "lua": InterpreterCall("lua", ("-e",)),
    "osascript": InterpreterCall("applescript", ("-e",)),
    "rscript": InterpreterCall("r", ("-e",)),
    "awk": InterpreterCall("awk", ("-e", "--source"), first_operand=True),
    "sed": InterpreterCall("sed", ("-e", "--expression"), first_operand=True),
}


def run_shell(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`sh -c 'script'`, `bash file`, `… | sh`."""
    call = read_shell(command)
    text: str | None = None
    if call.first is not None:
        before = walker.code_texts.text(call.first, env, command.elsewhere)
        if before is not None:
            walker.script(before, env.child(), context)
    if call.source == "text":
        ask_for_printed(walker, command, env)
        text = call.script.text if has_text(call.script) else None
    elif call.source == "file":
        text = walker.code_texts.text(call.script, env, command.elsewhere)
    elif call.source == "input":
        text = input_text(walker, command, env)
    if text is None:
        return
    inner = env.child()
    inner.arguments = call.arguments
    # `exec -a` calls a shell by any name.
    inner.zero = (call.zero, UNKNOWN) if "exec" in context.via else (call.zero,)
    if "BASH_ARGV0" in inner.exported:
        inner.assign("BASH_ARGV0", env.values("BASH_ARGV0"))
    start_shell(inner, command.name, call.options)
    for name, value in command.assignments:
        if name in _OPTION_LISTS:
            start_shell(inner, "", map(Word, value.text.split(":")))
        elif name != "IFS":  # a shell begins with its own
            inner.assign(name, (value,))
        inner.exported |= {name}
    if command.name == "bash" and "BASH_ENV" in inner.exported:
        _run_first(walker, inner, context)
    here = msgspec.structs.replace(context, via=(*context.via, command.name))
    walker.script(text, inner, here)
    env.files.update(inner.files)


def _run_first(walker: "ProgramWalker", inner: Environment, context: CommandContext) -> None:
    """Read the file that BASH_ENV names, which bash runs before its script."""
    for file in inner.values("BASH_ENV"):
        text = walker.code_texts.text(file, inner)
        if text is not None:
            walker.script(text, inner, context)


def run_interpreter(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """Code given with `-c` / `-e`, on standard input, or in a file."""
    language = LANGUAGES[entry.name]
    call = entry.parse(command.argv)
    codes = [word.text for word in call.values(*language.code_options)]
    operands = call.operands
    on_input = bool(operands) and operands[0].text in _STDIN
    names = [] if on_input else list(named_files(entry.name, call))
    here = msgspec.structs.replace(context, via=(*context.via, entry.name))
    if entry.name == "python":
        names += [f"{folder}/sitecustomize.py" for folder in _search_path(command, env)]
    for name, code in walker.code_texts.known(names, env, command.elsewhere):
        with walker.code_texts.running(name) as is_new:
            if is_new:
                run_code(walker, language.name, code, command, env, here, file=name)
    if call.has(*language.stops):
        words = module_words(command.argv)
        run_known_script(walker, command, words, env, context)
        if words and words[0].text in OPERANDS_RUN:
            run_files(walker, words[0].text, words[1:], command, env, here)
        return
    if not codes and language.first_operand and not names:
        # macOS: `sed -i '' script file`; the empty suffix stands before the script.
        codes = [word.text for word in operands if word.text][:1]
    elif not codes and names and not language.first_operand:
        run_known_script(walker, command, operands, env, context)
    elif not codes and not names and (typed := input_text(walker, command, env)) is not None:
        codes = [typed]
    for code in codes:
        run_code(walker, language.name, code, command, env, here)


def run_files(
    walker: "ProgramWalker",
    name: str,
    operands: Sequence[Word],
    command: Command,
    env: Environment,
    context: CommandContext,
) -> None:
    """Read the files of code that a program is given as operands, or finds in folders."""
    words = [word.text for word in operands if not word.text.startswith("-")]
    files = operand_files(CODE_FILES[name], words)
    for file, code in walker.code_texts.known(files, env, command.elsewhere):
        language = LANGUAGE_OF_ENDING.get(ending_of(file), "python")
        run_code(walker, language, code, command, env, context, file=file)


def run_code(
    walker: "ProgramWalker",
    language: str,
    code: str,
    command: Command,
    env: Environment,
    context: CommandContext,
    *,
    file: str = "",
) -> None:
    """Add what a piece of code does, and follow the commands that it starts.

    `file`: where it stands; what it loads is looked for beside it, and in the folder of the call.
    """

    folders = dict.fromkeys((dirname(file), "", *_search_path(command, env)))

    def loader(name: str) -> str | None:
        for folder in folders:
            path = Word(join_path(folder, name))
            text = walker.code_texts.text(path, env, command.elsewhere)
            if text is not None:
                return text
        return None

    result = read_code(language, code, walker.code_deadline, loader)
    if context.via[-1:] != (language,):
        context = msgspec.structs.replace(context, via=(*context.via, language))
    index = len(walker.commands) - 1
    for effect in result.effects:
        target = effect.target
        if target == "~" or target.startswith("~/"):
            target = env.values("HOME")[0].text + target[1:]
        elif target.startswith(STATE):
            target = env.values("HANDRAIL_HOME")[0].text + target.removeprefix(STATE)
        walker.code_effects.append(msgspec.structs.replace(effect, command=index, target=target))
        if effect.kind is Kind.RUN:
            _run_loaded(walker, language, Word(target), command, env, context)
    for script in result.scripts:
        walker.script(script, env.fork(), context, guessed=True)
    for argv in result.calls:
        inner = msgspec.structs.replace(
            command,
            argv=tuple(Word(text) for text in argv),
            redirects=(),
            assignments=(),
            via=context.via,
            input=None,
            input_file="",
            fed_by=(),
            input_from=(),
        )
        walker.resolver.call(inner, env, context)


def _search_path(command: Command, env: Environment) -> list[str]:
    """Return the folders in which the command line lets Python look for modules."""
    own = dict(command.assignments).get("PYTHONPATH")
    value = own if own is not None else env.values("PYTHONPATH")[0]
    return [folder for folder in value.text.split(":") if folder and value.exact]


def _run_loaded(
    walker: "ProgramWalker",
    language: str,
    file: Word,
    command: Command,
    env: Environment,
    context: CommandContext,
) -> None:
    """Read a file that code runs in its own language: `exec(open("x.py").read())`."""
    text = walker.code_texts.text(file, env, command.elsewhere)
    with walker.code_texts.running(file.text) as is_new:
        if text is not None and is_new:
            run_code(walker, language, text, command, env, context, file=file.text)


def run_script_file(
    walker: "ProgramWalker",
    text: str,
    command: Command,
    env: Environment,
    context: CommandContext,
) -> str | None:
    """Read the text of a file that is called by its path; its first line names the language."""
    here = msgspec.structs.replace(context, via=(*context.via, command.name))
    interpreter = _SHEBANG.match(text)
    language = LANGUAGES.get(interpreter[1]) if interpreter else None
    if language is not None:
        file = command.argv[0].text
        run_code(walker, language.name, text, command, env, here, file=file)
        return None
    inner = env.child()
    inner.set_arguments(command.argv[1:])
    inner.zero = (command.argv[0],)
    return walker.script(text, inner, here)


def run_deno(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`deno eval CODE`, `bun -e CODE`, `deno run file`, `bun file`, and code on standard input."""
    call = entry.parse(command.argv)
    codes: list[str | None] = [word.text for word in call.values("-e", "--eval", "-p", "--print")]
    operands = [word for word in call.operands if word.text not in {"run", "serve"}]
    if call.operands and call.operands[0].text == "eval":
        codes += [word.text for word in call.operands[1:2]]
    elif not codes and operands and "." in operands[0].text:
        codes = [walker.code_texts.text(operands[0], env, command.elsewhere)]
    elif not codes:
        codes = [input_text(walker, command, env)]
    here = msgspec.structs.replace(context, via=(*context.via, entry.name))
    for code in codes:
        if code is not None:
            run_code(walker, "javascript", code, command, env, here)
