"""Resolve the first word of a command to a function, alias, builtin, wrapper or program."""

import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from handrail.model.host import known_hosts
from handrail.model.program import Wrapper
from handrail.shell.builtins import BUILTINS, DECLARATIONS
from handrail.shell.code_files import OPERANDS_RUN
from handrail.shell.code_runner import run_files, run_script_file
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment, ShellFunction
from handrail.shell.errors import TooDeepError
from handrail.shell.known_output import output_of
from handrail.shell.line_files import LINE_FILES, run_lines
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.program_lookup import ProgramEntry, SubcommandLevel, in_its_folder
from handrail.shell.runners import RUNNERS
from handrail.shell.shell_options import XPG_ECHO, is_disabled
from handrail.shell.shells import has_text
from handrail.shell.statements import redirect
from handrail.shell.tables.environment import COMMAND_VARIABLES
from handrail.shell.variables import HOMES, MANY
from handrail.shell.word import OPAQUE, UNKNOWN, Word
from handrail.shell.word_files import WORD_FILES, with_words_of_files

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_ASSIGNMENT = re.compile(r"([A-Za-z_][\w%]*)=(.*)", re.DOTALL)
_AGENT_PATHS = tuple(
    (re.compile(host.program_path), Word(host.program))
    for host in known_hosts()
    if host.program_path
)
"""Patterns of paths to a host's program, whatever the file is called."""
_SEVERAL_COMMANDS = re.compile(r"[;&\n]")
_EXPANDED = re.compile(r"[$`]")
MAX_CALLS = 40
"""Depth of functions and wrappers inside each other; deeper is a trick."""


class CallResolver:
    """Follows a command through functions, aliases and wrappers to the program it runs."""

    def __init__(self, walker: "ProgramWalker") -> None:
        self.walker = walker
        self.active_aliases: list[str] = []
        """Aliases being followed, so that none is followed twice."""
        self._active_functions: list[int] = []
        """Functions being followed, by the node id of their body."""
        self._depth = 0

    def call(
        self, command: Command, env: Environment, context: CommandContext, *, bare: bool = False
    ) -> str | None:
        """Read one simple command; return its output, or None if unknown.

        `bare`: functions and aliases do not count (`command ls`).
        """
        if not command.argv:
            if command.redirects or command.assignments:
                self.walker.emit(command)
            return ""
        if self._depth > MAX_CALLS:
            raise TooDeepError(MAX_CALLS)
        self._depth += 1
        try:
            return self._dispatch(command, env, context, bare=bare)
        finally:
            self._depth -= 1

    def _dispatch(
        self, command: Command, env: Environment, context: CommandContext, *, bare: bool
    ) -> str | None:
        name = command.argv[0].text
        for variable, value in command.assignments:
            if variable in COMMAND_VARIABLES and has_text(value):
                here = msgspec.structs.replace(context, via=(*context.via, variable))
                self.walker.script(value.text.lstrip("|"), env.fork(), here)
        if name in env.functions and not bare:
            self._emit_redirects(command)
            if not command.assignments:
                return self._functions(env.functions[name], command, env, context)
            with env.given(command.assignments, scope=True):
                return self._functions(env.functions[name], command, env, context)
        if env.functions and OPAQUE in name and has_text(command.argv[0]) and not bare:
            self._functions_of_such_a_name(command, env, context)
        if name not in env.aliases or name in self.active_aliases or bare:
            return self._unaliased(command, env, context)
        self._emit_redirects(command)
        if self.walker.programs.lookup(name) is None and name not in BUILTINS:
            self.walker.emit(command)
            return self._alias(name, command, env, context)
        # A shell that nobody types into expands no aliases: both may run.
        branch = env.fork()
        meant = self._alias(name, command, branch, context)
        output = self._unaliased(command, env, context)
        env.join(branch)
        return output if output == meant else None

    def _unaliased(self, command: Command, env: Environment, context: CommandContext) -> str | None:
        name = command.argv[0].text
        builtin = BUILTINS.get(name)
        if builtin is None:
            return self._program(command, env, context)
        if not is_disabled(name, env) and not command.assignments:
            return builtin(self.walker, command, env, context)
        if not is_disabled(name, env):
            with env.given(command.assignments, stays=name in DECLARATIONS):
                return builtin(self.walker, command, env, context)
        branch = env.fork()
        builtin(self.walker, command, branch, context)
        self._program(command, env, context)
        env.join(branch)
        return None

    def _emit_redirects(self, command: Command) -> None:
        """Note which files a call opens that is followed to other commands."""
        if command.redirects:
            self.walker.emit(msgspec.structs.replace(command, argv=()))

    def _functions(
        self,
        bodies: tuple[ShellFunction | None, ...],
        command: Command,
        env: Environment,
        context: CommandContext,
    ) -> str | None:
        """Read each function that a name may stand for; None: a program of that name."""
        if len(bodies) == 1 and bodies[0] is not None:
            return self._function(bodies[0], command, env, context)
        leaves, far_leaves = env.leaves, env.far_leaves
        branches = [env.fork() for _ in bodies]
        for function, branch in zip(bodies, branches, strict=True):
            if function is not None:
                self._function(function, command, branch, context)
                continue
            del branch.functions[command.argv[0].text]
            self.call(command, branch, context)
            branch.functions[command.argv[0].text] = bodies
        env.become(branches[0])
        env.leaves = leaves + env.leaves
        env.far_leaves = far_leaves + env.far_leaves
        for branch in branches[1:]:
            env.join(branch)
        return None

    def _functions_of_such_a_name(
        self, command: Command, env: Environment, context: CommandContext
    ) -> None:
        """Read each function that may be meant by a name of which only parts are known."""
        parts = command.argv[0].text.split(OPAQUE)
        pattern = re.compile(".*".join(map(re.escape, parts)), re.DOTALL)
        for name in [name for name in env.functions if pattern.fullmatch(name)]:
            branch = env.fork()
            called = msgspec.structs.replace(command, argv=(Word(name), *command.argv[1:]))
            self._functions(env.functions[name], called, branch, context)
            env.join(branch)

    def _function(
        self, function: ShellFunction, command: Command, env: Environment, context: CommandContext
    ) -> str | None:
        source, body, redirects = function
        depth = self._active_functions.count(body.id)
        if depth and context.concurrent:
            self.walker.emit(command)
            self.walker.note("fork_bomb", "starts copies of itself without end")
            return None
        if depth > 1:
            return None
        arguments = env.argument_lists()
        leaves, returns = env.leaves, env.returns
        env.leaves, env.returns = (), ()
        # What it calls itself with changes from one time to the next.
        env.set_arguments(MANY if depth else command.argv[1:])
        self._active_functions.append(body.id)
        env.scopes.append({})
        try:
            if redirects:
                return redirect(self.walker, body, list(redirects), source, env, context)
            return self.walker.statement(body, source, env, context)
        finally:
            self._active_functions.pop()
            env.join_returns()
            env.leaves, env.returns = leaves, returns
            env.end_scope()
            env.set_arguments(*arguments)

    def _alias(
        self, name: str, command: Command, env: Environment, context: CommandContext
    ) -> str | None:
        text, words = env.aliases[name], command.argv[1:]
        if "<<" in text:
            # The text of the here-document stands behind the call, not in the alias.
            self.walker.emit(Command((UNKNOWN,), env.cwd, via=context.via))
        if _SEVERAL_COMMANDS.search(text):
            # What runs first may change the words behind it.
            words = tuple(UNKNOWN if _EXPANDED.search(word.raw) else word for word in words)
        branch = env.fork()
        self.active_aliases.append(name)
        try:
            output = self.walker.script(f"{text} {_quoted(words)}", env, context)
            if not (text[-1:].isspace() and words and words[0].text in env.aliases):
                return output
            # Behind a blank the next word may be an alias, too.
            text = f"{text} {env.aliases[words[0].text]} {_quoted(words[1:])}"
            self.walker.script(text, branch, context)
            env.join(branch)
            return None
        finally:
            self.active_aliases.pop()

    def _program(self, command: Command, env: Environment, context: CommandContext) -> str | None:
        path = join(env.cwd, command.argv[0]).text if "/" in command.argv[0].text else ""
        command = _in_moved_home(self._identify(command, path, env), env)
        entry = self._entry(command)
        self.walker.emit(command)
        named = path or self._place_on_path(command, env)
        text = self.walker.code_texts.text(Word(named), env, command.elsewhere) if named else None
        if text is not None:
            output = run_script_file(self.walker, text, command, env, context)
            if entry is None:
                return output
        name = entry.name if entry else command.name
        if name in OPERANDS_RUN:
            operands = entry.parse(command.argv).operands if entry else command.argv[1:]
            run_files(self.walker, name, operands, command, env, context)
        if name in LINE_FILES:
            run_lines(self.walker, name, command, env, context)
        if command.name in WORD_FILES:
            for filled in with_words_of_files(self.walker, command, env):
                self.call(filled, env, context)
        if entry is None and XPG_ECHO in env.options and "\\" in command.text:
            return None
        if entry is None:
            return output_of(command.argv, command.input, command.cwd)
        runner = RUNNERS.get(entry.program.reader)
        if runner is not None:
            there = (
                in_its_folder(command, entry.levels(command.argv)[0])
                if entry.program.chdir
                else command
            )
            runner(self.walker, there, entry, _in_folder(env, there.cwd), context)
        for level in entry.levels(command.argv) if entry.wraps or entry.subcommands else ():
            command = in_its_folder(command, level)
            output = self._unwrap(command, level, _in_folder(env, command.cwd), context)
            if output is not None:
                return output
        printed = self._printed_files(command, env)
        return printed or output_of(command.argv, command.input, command.cwd)

    def _place_on_path(self, command: Command, env: Environment) -> str:
        """Return where a program stands in the folder that the command line put before PATH."""
        own = dict(command.assignments).get("PATH")
        value = env.values("PATH")[0] if own is None else own
        first = value.text.partition(":")[0]
        known = self.walker.first_path.split(":")
        if not first or OPAQUE in first or first in known:
            return ""
        return join(env.cwd, Word(f"{first}/{command.argv[0].text}")).text

    def _printed_files(self, command: Command, env: Environment) -> str:
        """Return what `cat` prints of files whose text is known."""
        if command.name != "cat":
            return ""
        texts = [
            self.walker.code_texts.printed(word, env, command.elsewhere)
            for word in command.argv[1:]
        ]
        known = [text for text in texts if text is not None]
        return "".join(known) if len(known) == len(texts) else ""

    def _identify(self, command: Command, path: str, env: Environment) -> Command:
        """Return the command under the name of the program that really runs."""
        first, *rest = command.argv
        if path in env.copies:
            return msgspec.structs.replace(command, argv=(Word(env.copies[path]), *rest))
        for pattern, program in _AGENT_PATHS:
            if pattern.search(path):
                return msgspec.structs.replace(command, argv=(program, *rest))
        if path.startswith("/etc/init.d/"):
            service = (Word("service"), Word(command.name), *rest)
            return msgspec.structs.replace(command, argv=service)
        if not rest or first.text[:1] not in {"", OPAQUE} or has_text(first):
            return command
        # `$SUDO rm x`: whatever the first word is, it may be a wrapper, or nothing.
        named = (Word(rest[0].text, raw=first.text), *rest[1:])
        inner = msgspec.structs.replace(command, argv=named)
        if self._entry(inner) is not None:
            return inner
        guess = _guessed_program(command)
        named = (Word(guess, raw=first.text), *rest)
        return msgspec.structs.replace(command, argv=named) if guess else command

    def _entry(self, command: Command) -> ProgramEntry | None:
        knowledge = self.walker.programs
        entry = knowledge.lookup(command.name)
        if entry is None and command.argv[0].glob:
            names = knowledge.matching(command.name)
            entry = knowledge.lookup(names[0]) if names else None
        return entry

    def _unwrap(
        self, command: Command, level: SubcommandLevel, env: Environment, context: CommandContext
    ) -> str | None:
        entry, call = level.entry, level.call
        for condition, wrapper in entry.wraps:
            taken = condition.match(call)
            if taken is None:
                continue
            here = msgspec.structs.replace(
                context,
                via=(*context.via, entry.name),
                elsewhere=context.elsewhere or (entry.name if wrapper.where == "elsewhere" else ""),
            )
            if wrapper.options:
                for value in call.values(*wrapper.options.split("|")):
                    self._inner_script(value, env, here)
                continue
            return self._inner(command, call, taken + wrapper.skip, wrapper, env, here)
        return None

    def _inner(
        self,
        command: Command,
        call: ParsedArguments,
        first: int,
        wrapper: Wrapper,
        env: Environment,
        context: CommandContext,
    ) -> str | None:
        places = call.places[first:]
        if wrapper.assignments and places and command.argv[places[0]].text == "-":
            places = places[1:]  # `env - NAME=value cmd`
        assigned = [*command.assignments, *_unset_variables(context.via[-1:], call)]
        while places and wrapper.assignments:
            match = _ASSIGNMENT.fullmatch(command.argv[places[0]].text)
            if not match:
                break
            assigned.append((match[1], Word(match[2])))
            places = places[1:]
        if not places:
            # `ssh host <<E`: the commands stand on the input.
            if wrapper.form == "words" and wrapper.where == "elsewhere" and command.input:
                return self._inner_script(Word(command.input), env, context)
            return None
        rest = command.argv[places[0] :]
        while rest and rest[0].text in {"--", "-"}:
            rest = rest[1:]
        if not rest:
            return None
        if wrapper.form == "argv":
            return self.call(
                msgspec.structs.replace(
                    command,
                    argv=rest,
                    assignments=tuple(assigned),
                    redirects=(),
                    via=context.via,
                    elsewhere=context.elsewhere,
                ),
                env,
                context,
            )
        if wrapper.form == "words":
            text = " ".join(word.text for word in rest)
            return self._inner_script(Word(text), env, context)
        return self._inner_script(rest[0], env, context)

    def _inner_script(self, text: Word, env: Environment, context: CommandContext) -> str | None:
        if text.text.strip(OPAQUE + " \n"):
            return self.walker.script(text.text, env.fork(), context)
        return None


def _quoted(words: Sequence[Word]) -> str:
    return " ".join(shlex.quote(word.text) for word in words)


def _in_moved_home(command: Command, env: Environment) -> Command:
    """Treat a home variable that changed before as if this command set it."""
    if not env.moved_homes:
        return command
    own = {name for name, _ in command.assignments}
    moved = [(name, env.values(name)[0]) for name in sorted(env.moved_homes - own)]
    return msgspec.structs.replace(command, assignments=(*command.assignments, *moved))


def _unset_variables(wrapper: tuple[str, ...], call: ParsedArguments) -> list[tuple[str, Word]]:
    """Return the variables that `env -u NAME` and `env -i` hide from a program, as empty."""
    if wrapper != ("env",):
        return []
    everything = call.has("-i", "--ignore-environment") or call.operands[:1] == (Word("-"),)
    names = sorted(HOMES) if everything else [word.text for word in call.values("-u", "--unset")]
    return [(name, Word("")) for name in names]


def _in_folder(env: Environment, folder: Word) -> Environment:
    """Return the same environment in another folder (`make -C folder`)."""
    if folder == env.cwd:
        return env
    inner = env.fork()
    inner.cwd = folder
    return inner


def _guessed_program(command: Command) -> str:
    """Guess the program behind an unknown first word from its arguments."""
    words = [word.text for word in command.argv[1:]]
    flags = "".join(text[1:] for text in words if re.fullmatch(r"-[a-zA-Z]+", text))
    if "f" in flags and ("r" in flags or "R" in flags):
        return "rm"
    if words[0] in {"-c", "-lc", "-ic"} and len(words) > 1:
        return "sh"
    return "git" if words[0] in {"push", "reset", "clean"} else ""
