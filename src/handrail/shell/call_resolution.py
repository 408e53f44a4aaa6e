"""What the first word of a command means: a function, a builtin, a wrapper, a program."""

import re
import shlex
from typing import TYPE_CHECKING

import msgspec

from handrail.model.host import known_hosts
from handrail.model.program import Wrapper
from handrail.shell.builtins import BUILTINS
from handrail.shell.command import Command
from handrail.shell.command_input import CommandInput
from handrail.shell.environment import HOMES, Environment
from handrail.shell.errors import TooDeepError
from handrail.shell.known_output import output_of
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.program_lookup import ProgramEntry, SubcommandLevel, moved
from handrail.shell.runners import LANGUAGES, RUNNERS, run_code
from handrail.shell.shells import has_text
from handrail.shell.tables.environment import COMMAND_VARIABLES
from handrail.shell.word import OPAQUE, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_ASSIGNMENT = re.compile(r"([A-Za-z_][\w%]*)=(.*)", re.DOTALL)
_PATHS_OF_AGENTS = tuple(
    (re.compile(host.program_path), Word(host.program))
    for host in known_hosts()
    if host.program_path
)
"""Paths that stand for a host's program, by whatever name it is called there."""
MAX_CALLS = 40
"""Functions and wrappers inside each other; deeper is a trick."""


class CallResolver:
    """Follows a command to what it runs in the end."""

    def __init__(self, walker: "ProgramWalker") -> None:
        self.walker = walker
        self.active: list[str] = []
        """Aliases that are being followed."""
        self._bodies: list[int] = []
        """Functions that are being followed, by the node of their body."""
        self._depth = 0

    def call(self, command: Command, env: Environment, situation: CommandInput) -> str | None:
        """Read one simple command; returns what it prints, where that is known."""
        if not command.argv:
            if command.redirects or command.assignments:
                self.walker.emit(command)
            return ""
        if self._depth > MAX_CALLS:
            raise TooDeepError(MAX_CALLS)
        self._depth += 1
        try:
            return self._dispatch(command, env, situation)
        finally:
            self._depth -= 1

    def _dispatch(self, command: Command, env: Environment, situation: CommandInput) -> str | None:
        name = command.argv[0].text
        for variable, value in command.assignments:
            if variable in COMMAND_VARIABLES and has_text(value):
                here = msgspec.structs.replace(situation, via=(*situation.via, variable))
                self.walker.script(value.text.lstrip("|"), env.fork(), here)
        if name in env.functions:
            return self._function(name, command, env, situation)
        if name in env.aliases and name not in self.active:
            return self._alias(name, command, env, situation)
        builtin = BUILTINS.get(name)
        if builtin is not None:
            return builtin(self.walker, command, env, situation)
        return self._program(command, env, situation)

    def _function(
        self, name: str, command: Command, env: Environment, situation: CommandInput
    ) -> str | None:
        source, body = env.functions[name]
        if body.id in self._bodies:
            if situation.concurrent:
                self.walker.emit(command)
                self.walker.note("fork_bomb", "starts copies of itself without end")
            return None
        arguments = env.arguments
        env.arguments = command.argv[1:]
        self._bodies.append(body.id)
        try:
            return self.walker.statement(body, source, env, situation)
        finally:
            self._bodies.pop()
            env.arguments = arguments

    def _alias(
        self, name: str, command: Command, env: Environment, situation: CommandInput
    ) -> str | None:
        rest = " ".join(shlex.quote(word.text) for word in command.argv[1:])
        self.active.append(name)
        try:
            return self.walker.script(f"{env.aliases[name]} {rest}", env, situation)
        finally:
            self.active.pop()

    def _program(self, command: Command, env: Environment, situation: CommandInput) -> str | None:
        path = join(env.cwd, command.argv[0]).text if "/" in command.argv[0].text else ""
        command = _in_moved_home(self._identified(command, path, env), env)
        entry = self._entry(command)
        self.walker.emit(command)
        if entry is None:
            if path in env.files:
                return self._written(env.files[path], command, env, situation)
            return output_of(command.argv, command.input, command.cwd)
        runner = RUNNERS.get(entry.program.reader)
        if runner is not None:
            there = (
                moved(command, entry.levels(command.argv)[0]) if entry.program.chdir else command
            )
            runner(self.walker, there, entry, _in_folder(env, there.cwd), situation)
        for level in entry.levels(command.argv) if entry.wraps or entry.subcommands else ():
            command = moved(command, level)
            output = self._unwrap(command, level, _in_folder(env, command.cwd), situation)
            if output is not None:
                return output
        return _printed_files(command, env) or output_of(command.argv, command.input, command.cwd)

    def _identified(self, command: Command, path: str, env: Environment) -> Command:
        """The command under the name of the program that really runs."""
        first, *rest = command.argv
        if path in env.copies:
            return msgspec.structs.replace(command, argv=(Word(env.copies[path]), *rest))
        for pattern, program in _PATHS_OF_AGENTS:
            if pattern.search(path):
                return msgspec.structs.replace(command, argv=(program, *rest))
        if path.startswith("/etc/init.d/"):
            service = (Word("service"), Word(command.name), *rest)
            return msgspec.structs.replace(command, argv=service)
        if not rest or first.text[:1] not in {"", OPAQUE} or has_text(first):
            return command
        # `$SUDO rm x`: whatever the first word is, it may be a wrapper, or nothing.
        inner = msgspec.structs.replace(command, argv=tuple(rest))
        if self._entry(inner) is not None:
            return inner
        guess = _guessed_program(command)
        named = (Word(guess, raw=first.raw), *rest)
        return msgspec.structs.replace(command, argv=named) if guess else command

    def _written(
        self, text: str, command: Command, env: Environment, situation: CommandInput
    ) -> str | None:
        """Run a file that this very program wrote."""
        here = msgspec.structs.replace(situation, via=(*situation.via, command.name))
        interpreter = re.match(r"#!\s*(?:\S*/env\s+)?(?:\S*/)?([a-z]+)", text)
        language = LANGUAGES.get(interpreter[1]) if interpreter else None
        if language is not None:
            run_code(self.walker, language.name, text, command, env, here)
            return None
        inner = env.fork()
        inner.arguments = command.argv[1:]
        return self.walker.script(text, inner, here)

    def _entry(self, command: Command) -> ProgramEntry | None:
        knowledge = self.walker.knowledge
        entry = knowledge.lookup(command.name)
        if entry is None and command.argv[0].glob:
            names = knowledge.matching(command.name)
            entry = knowledge.lookup(names[0]) if names else None
        return entry

    def _unwrap(
        self, command: Command, level: SubcommandLevel, env: Environment, situation: CommandInput
    ) -> str | None:
        entry, call = level.entry, level.call
        for condition, wrapper in entry.wraps:
            taken = condition.match(call)
            if taken is None:
                continue
            here = msgspec.structs.replace(
                situation,
                via=(*situation.via, entry.name),
                elsewhere=situation.elsewhere
                or (entry.name if wrapper.where == "elsewhere" else ""),
            )
            if wrapper.options:
                for value in call.values(*wrapper.options.split("|")):
                    self._inner_text(value, env, here)
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
        situation: CommandInput,
    ) -> str | None:
        places = call.places[first:]
        if wrapper.assignments and places and command.argv[places[0]].text == "-":
            places = places[1:]  # `env - NAME=value cmd`
        assigned = [*command.assignments, *_taken_away(situation.via[-1:], call)]
        while places and wrapper.assignments:
            match = _ASSIGNMENT.fullmatch(command.argv[places[0]].text)
            if not match:
                break
            assigned.append((match[1], Word(match[2])))
            places = places[1:]
        if not places:
            # `ssh host <<E`: the commands stand on the input.
            if wrapper.form == "words" and wrapper.where == "elsewhere" and command.input:
                return self._inner_text(Word(command.input), env, situation)
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
                    via=situation.via,
                    elsewhere=situation.elsewhere,
                ),
                env,
                situation,
            )
        if wrapper.form == "words":
            text = " ".join(word.text for word in rest)
            return self._inner_text(Word(text), env, situation)
        return self._inner_text(rest[0], env, situation)

    def _inner_text(self, text: Word, env: Environment, situation: CommandInput) -> str | None:
        if text.text.strip(OPAQUE + " \n"):
            return self.walker.script(text.text, env.fork(), situation)
        return None


def _in_moved_home(command: Command, env: Environment) -> Command:
    """A home that was changed before is as good as one that is set for this command alone."""
    if not env.moved_homes:
        return command
    own = {name for name, _ in command.assignments}
    moved = [(name, env.values(name)[0]) for name in sorted(env.moved_homes - own)]
    return msgspec.structs.replace(command, assignments=(*command.assignments, *moved))


def _taken_away(wrapper: tuple[str, ...], call: ParsedArguments) -> list[tuple[str, Word]]:
    """Variables that `env -u NAME` and `env -i` keep from a program: it sees them as empty."""
    if wrapper != ("env",):
        return []
    everything = call.has("-i", "--ignore-environment") or call.operands[:1] == (Word("-"),)
    names = sorted(HOMES) if everything else [word.text for word in call.values("-u", "--unset")]
    return [(name, Word("")) for name in names]


def _in_folder(env: Environment, folder: Word) -> Environment:
    """The same state in another folder (`make -C folder`)."""
    if folder == env.cwd:
        return env
    inner = env.fork()
    inner.cwd = folder
    return inner


def _printed_files(command: Command, env: Environment) -> str:
    """What `cat` prints of files that this very program wrote."""
    if command.name != "cat":
        return ""
    texts = [env.files.get(join(env.cwd, word).text) for word in command.argv[1:]]
    known = [text for text in texts if text is not None]
    return "".join(known) if len(known) == len(texts) else ""


def _guessed_program(command: Command) -> str:
    """Which program an unknown word would have to be for its arguments to make sense."""
    words = [word.text for word in command.argv[1:]]
    flags = "".join(text[1:] for text in words if re.fullmatch(r"-[a-zA-Z]+", text))
    if "f" in flags and ("r" in flags or "R" in flags):
        return "rm"
    if words[0] in {"-c", "-lc", "-ic"} and len(words) > 1:
        return "sh"
    return "git" if words[0] in {"push", "reset", "clean"} else ""
