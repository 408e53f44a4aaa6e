"""Reads a command line the way a shell would, without running anything."""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec
import tree_sitter

from handrail.model.effect import Effect
from handrail.shell.call_resolution import CallResolver
from handrail.shell.code_files import CodeTexts
from handrail.shell.command import Command, ParsedProgram, ProgramNote, SyntaxFault
from handrail.shell.command_context import TOP_LEVEL, CommandContext
from handrail.shell.environment import Environment
from handrail.shell.errors import TooDeepError, TooMuchWorkError, TooSlowError
from handrail.shell.expand import Expander
from handrail.shell.fragments import read_fragments
from handrail.shell.printed_paths import names_printed
from handrail.shell.program_lookup import ProgramLookup
from handrail.shell.reading_clock import reading_time
from handrail.shell.redirects import (
    input_words,
    open_redirects,
)
from handrail.shell.shell_options import LAST_PIPE
from handrail.shell.simple_commands import MAX_COMMANDS
from handrail.shell.statements import STATEMENTS, redirect
from handrail.shell.syntax import MAX_NESTING, MAX_SECONDS, SyntaxSource

MAX_STEPS = 20_000
"""Upper bound of steps for one command line."""
_STEPS_BETWEEN_CHECKS = 64
"""Steps between two looks at the clock; so few steps are never too slow."""
_LEAST_SECONDS = 0.02
"""Least time for the syntax of one text: a short one is read at the end of a review, too."""


class ProgramWalker:
    """Walks through a shell program once and collects its simple commands.

    Reading a statement returns its output, or None if only running it would tell.
    """

    def __init__(
        self,
        knowledge: ProgramLookup,
        deadline: float = float("inf"),
        files: Mapping[str, str] = MappingProxyType({}),
        code_deadline: float = float("inf"),
    ) -> None:
        """`files`: known text of files that the program may run.

        `code_deadline`: when reading of code in other languages ends with what was found.
        """
        self.code_deadline = code_deadline
        self.programs = knowledge
        self.commands: list[Command] = []
        self.code_texts = CodeTexts(files, self.commands)
        self.notes: list[ProgramNote] = []
        self.code_effects: list[Effect] = []
        self.fault: SyntaxFault | None = None
        self.expander = Expander(self._substitute, self._run_text, self._names_listed)
        self.resolver = CallResolver(self)
        self.traps: list[tuple[str, Environment, Environment, CommandContext]] = []
        """Scripts that run at the end, where they were set, and how it was then."""
        self.redirects: dict[int, list[tree_sitter.Node]] = {}
        """Redirects of nodes that the walker has not reached yet, by node id."""
        self.context = TOP_LEVEL
        """Context of the command whose words are being expanded."""
        self.asking = 0
        """Conditions of loops that are being read."""
        self.failures = 0
        """Steps that failed, as far as the text tells: what hangs on them may not run."""
        self.word_end = -1
        """Where the value of the assignment that was read last ends."""
        self.first_path = ""
        """The variable PATH before the command line changes it."""
        self._deadline = deadline
        self._steps = 0
        self._next_check = _STEPS_BETWEEN_CHECKS
        self._depth = 0
        self._guesses = 0
        self.alternatives = range(0)
        """The commands that the last one with several values may be."""

    def read(self, text: str, env: Environment) -> ParsedProgram:
        """Read a whole command line."""
        env.files.update(self.code_texts.given)
        self.first_path = env.values("PATH")[0].text
        self.script(text, env, TOP_LEVEL, top=True)
        for script, there, before, context in self.traps[:MAX_COMMANDS]:
            for end in (there, env) if there is not env else (env,):
                if end.variables != before.variables or end.cwd != before.cwd:
                    self.script(script, end.fork(), context)
        given = self.code_texts.given
        return ParsedProgram(
            tuple(self.commands),
            tuple(self.notes),
            tuple(self.code_effects),
            tuple(item for item in env.files.items() if given.get(item[0]) != item[1]),
            self.fault,
            self.code_texts.asked,
            self.code_texts.asked_words,
        )

    def close(self) -> None:
        """Drop the helpers, which hold the walker: else only the garbage collector frees it."""
        del self.expander, self.resolver

    def script(
        self,
        text: str,
        env: Environment,
        context: CommandContext,
        *,
        top: bool = False,
        guessed: bool = False,
    ) -> str | None:
        """Read a text as a shell program.

        `guessed`: code in another language holds the text, so an error in it may be ours.
        """
        source = SyntaxSource(text, top=top, seconds=self._seconds_left())
        self._depth += 1
        self._guesses += guessed
        try:
            if source.fault is None:
                return self.statements(source.root.children, source, env, context)
            if not self._guesses:
                self.fault = self.fault or source.fault
            read_fragments(self, text, env, context)
            return None
        finally:
            self._depth -= 1
            self._guesses -= guessed

    def _seconds_left(self) -> float:
        """Return the time for the syntax of a further text."""
        left = self._deadline - reading_time()
        if left < 0 and self._steps >= _STEPS_BETWEEN_CHECKS:
            raise TooSlowError
        return min(MAX_SECONDS, max(left, _LEAST_SECONDS))

    def statements(
        self,
        nodes: list[tree_sitter.Node],
        source: SyntaxSource,
        env: Environment,
        context: CommandContext,
    ) -> str | None:
        """Read statements one after the other."""
        output: str | None = ""
        for index, node in enumerate(nodes):
            if not node.is_named or node.type == "comment":
                continue
            if index + 1 < len(nodes) and nodes[index + 1].type == "&":
                here = msgspec.structs.replace(context, concurrent=True)
                branch = env.fork()
                printed = self.statement(node, source, branch, here)
                env.files.update(branch.files)
            else:
                printed = self.statement(node, source, env, context)
            output = None if output is None or printed is None else output + printed
        return output

    def statement(
        self,
        node: tree_sitter.Node,
        source: SyntaxSource,
        env: Environment,
        context: CommandContext,
    ) -> str | None:
        """Read one statement."""
        self.step()
        if self._depth > MAX_NESTING:
            raise TooDeepError(MAX_NESTING)
        handler = STATEMENTS.get(node.type)
        self._depth += 1
        try:
            if self.redirects and node.id in self.redirects:
                waiting = self.redirects.pop(node.id)
                return redirect(self, node, waiting, source, env, context)
            if handler is None:
                return self.statements(node.children, source, env, context)
            return handler(self, node, source, env, context)
        finally:
            self._depth -= 1

    def emit(self, command: Command) -> int:
        """Add a simple command and return its index."""
        self.step(1 + len(command.argv) // 2 + len(command.redirects))
        self.commands.append(command)
        return len(self.commands) - 1

    def note(self, kind: str, says: str) -> None:
        """Add a remark about the last command."""
        self.notes.append(ProgramNote(kind, says, max(0, len(self.commands) - 1)))

    def stages(
        self,
        stages: list[tree_sitter.Node],
        source: SyntaxSource,
        env: Environment,
        context: CommandContext,
        output: str | None,
        first: int,
    ) -> str | None:
        """Read the stages of a pipeline; the commands from `first` on feed the first of them."""
        for number, stage in enumerate(stages, 1):
            fed_by = tuple(range(first, len(self.commands)))
            first = len(self.commands)
            here = msgspec.structs.replace(
                context,
                input=output,
                shared=True,
                fed_by=fed_by,
                input_from=fed_by,
                concurrent=True,
            )
            branch = env.fork()
            output = self.statement(stage, source, branch, here)
            env.files.update(branch.files)
            if number == len(stages) and LAST_PIPE in env.options:
                env.join(branch)
        return output

    def _substitute(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment
    ) -> str | None:
        """Read the commands inside `$( )` or `<( )`."""
        if self._depth > MAX_NESTING:
            raise TooDeepError(MAX_NESTING)
        context = msgspec.structs.replace(self.context, input=None, fed_by=(), input_from=())
        only = node.named_children
        if len(only) == 1 and only[0].type == "file_redirect":
            opened = open_redirects(self, only, source, env)
            self.emit(Command((), env.cwd, redirects=tuple(opened.redirects)))
            return input_words(self, opened, env) if opened.reads else ""
        branch = env.fork()
        traps = len(self.traps)
        with self.code_texts.printing():
            output = self.statements(node.children, source, branch, context)
        env.files.update(branch.files)
        return output if len(self.traps) == traps else None

    def _run_text(self, text: str, env: Environment) -> str | None:
        """Read commands inside a word that the parser did not see."""
        context = msgspec.structs.replace(self.context, input=None, fed_by=(), input_from=())
        branch = env.fork()
        output = self.script(text, branch, context)
        env.files.update(branch.files)
        return output

    def _names_listed(self, env: Environment) -> list[str]:
        """Return the file names that the last command prints, with wildcards."""
        if not self.commands:
            return []
        last = len(self.commands) - 1
        each = [
            [word.text for word in names_printed(self, (index,), env)]
            for index in (self.alternatives if last in self.alternatives else (last,))
        ]
        return list(dict.fromkeys(name for names in each for name in names)) if all(each) else []

    def step(self, count: int = 1) -> None:
        """Count steps, so that no input takes for ever."""
        self._steps += count
        if self._steps >= self._next_check:
            self.check_limits()

    def check_limits(self) -> None:
        """Raise an error if the steps or the time are used up."""
        if self._steps > MAX_STEPS:
            self._steps = MAX_STEPS + 1
            raise TooMuchWorkError(MAX_STEPS)
        if reading_time() > self._deadline:
            raise TooSlowError
        self._next_check = min(self._steps + _STEPS_BETWEEN_CHECKS, MAX_STEPS + 1)
