"""Reads a command line the way a shell would, without running anything."""

from collections.abc import Mapping, Sequence
from time import thread_time
from types import MappingProxyType

import msgspec
import tree_sitter

from handrail.model.effect import Effect
from handrail.shell.call_resolution import CallResolver
from handrail.shell.code_files import CodeTexts
from handrail.shell.command import Command, ParsedProgram, ProgramNote, Redirect, SyntaxFault
from handrail.shell.command_context import TOP_LEVEL, CommandContext
from handrail.shell.environment import Environment
from handrail.shell.errors import TooDeepError, TooMuchWorkError, TooSlowError
from handrail.shell.expand import Expander
from handrail.shell.fragments import read_fragments
from handrail.shell.paths import join
from handrail.shell.printed_paths import names_printed
from handrail.shell.program_lookup import ProgramLookup
from handrail.shell.redirects import REDIRECTS, OpenedFiles, open_redirects
from handrail.shell.statements import STATEMENTS, redirect
from handrail.shell.syntax import MAX_NESTING, MAX_SECONDS, SyntaxSource
from handrail.shell.word import Word

MAX_STEPS = 20_000
"""Upper bound of steps for one command line."""
_STEPS_BETWEEN_CHECKS = 64
"""Steps between two looks at the clock; so few steps are never too slow."""
_LEAST_SECONDS = 0.02
"""Least time for one text: garbage collection may have used up the time of the review."""
_WORDS_BETWEEN_CHECKS = 512
"""The walker counts the words of a command only when it is complete."""
_ARROWS = (b"<", b">")
_NOTHING = OpenedFiles()
"""Most commands open no file."""


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
        self.expander = Expander(self._substitute, self._names_listed)
        self.resolver = CallResolver(self)
        self.redirects: dict[int, list[tree_sitter.Node]] = {}
        """Redirects of nodes that the walker has not reached yet, by node id."""
        self.context = TOP_LEVEL
        """Context of the command whose words are being expanded."""
        self._deadline = deadline
        self._steps = 0
        self._next_check = _STEPS_BETWEEN_CHECKS
        self._depth = 0
        self._guesses = 0

    def read(self, text: str, env: Environment) -> ParsedProgram:
        """Read a whole command line."""
        env.files.update(self.code_texts.given)
        self.script(text, env, TOP_LEVEL, top=True)
        given = self.code_texts.given
        return ParsedProgram(
            tuple(self.commands),
            tuple(self.notes),
            tuple(self.code_effects),
            tuple(item for item in env.files.items() if given.get(item[0]) != item[1]),
            self.fault,
            self.code_texts.asked,
        )

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
        left = self._deadline - thread_time()
        if left < 0 and self._steps >= _STEPS_BETWEEN_CHECKS:
            raise TooSlowError
        seconds = min(MAX_SECONDS, max(left, _LEAST_SECONDS))
        source = SyntaxSource(text, top=top, seconds=seconds)
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
            here = context
            if index + 1 < len(nodes) and nodes[index + 1].type == "&":
                here = msgspec.structs.replace(context, concurrent=True)
            printed = self.statement(node, source, env, here)
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

    def run(
        self,
        node: tree_sitter.Node | None,
        redirects: list[tree_sitter.Node],
        source: SyntaxSource,
        env: Environment,
        context: CommandContext,
    ) -> str | None:
        """Expand the words of a command node, then resolve and read the command."""
        outer, self.context = self.context, context
        before = len(self.commands)
        argv, assignments, inner = self._words(node, source, env)
        opened = _NOTHING
        if inner or redirects:
            opened = open_redirects(self, [*inner, *redirects], source, env)
        self.context = outer
        if node is not None and redirects:
            # The parser loses a lone `-` before a here-document (`sh - <<EOF`).
            lost = source.slice(node.end_byte, redirects[0].start_byte).split()
            argv.extend(map(Word, lost))
        argv.extend(opened.arguments)
        own = tuple(range(before, len(self.commands)))
        if opened.reads:
            context = msgspec.structs.replace(context, input=opened.input, fed_by=own)
        elif own:
            context = msgspec.structs.replace(context, fed_by=context.fed_by + own)
        if not argv:
            for name, value in assignments:
                env.assign(name, (value,))
        first = len(self.commands)
        command = Command(
            tuple(argv),
            env.cwd,
            source.place(*_span(node, redirects)),
            tuple(opened.redirects),
            tuple(assignments),
            context.via,
            context.elsewhere,
            context.input,
            context.fed_by,
            _input_file(opened.redirects, env),
        )
        output = self.resolver.call(command, env, context)
        if opened is _NOTHING:
            return output
        self.record_written_text(opened.redirects, output, env)
        for sink in opened.sinks:
            known = self.commands[sink]
            fed_by = known.fed_by + tuple(range(first, len(self.commands)))
            self.commands[sink] = msgspec.structs.replace(known, fed_by=fed_by)
        if any(item.takes_output for item in opened.redirects):
            output = ""
        return self.after_heredoc(opened, output, first, source, env, context)

    def _words(
        self, node: tree_sitter.Node | None, source: SyntaxSource, env: Environment
    ) -> tuple[list[Word], list[tuple[str, Word]], list[tree_sitter.Node]]:
        """Return the arguments, assignments and redirects of a command node."""
        argv: list[Word] = []
        assignments: list[tuple[str, Word]] = []
        redirects: list[tree_sitter.Node] = []
        end = -1
        for index, child in enumerate(node.children if node is not None else (), 1):
            if index % _WORDS_BETWEEN_CHECKS == 0:
                self._check_limits()
            kind = child.type
            if kind == "comment":
                continue
            if kind == "number" and source.data[child.end_byte : child.end_byte + 1] in _ARROWS:
                # The parser takes the number of `0<<<text` for an argument.
                continue
            if kind == "variable_assignment":
                scratch = env.fork()
                assignments.append(self.assign(child, source, scratch))
                continue
            if kind in REDIRECTS:
                redirects.append(child)
                continue
            word = child.children[0] if kind == "command_name" else child
            words = self.expander.words(word, source, env)
            if child.start_byte == end and argv and words:
                # The parser splits some words, such as the second `$IFS` of `rm$IFS-rf$IFS/`.
                words = self.expander.glued(argv.pop(), words, env)
            argv.extend(words)
            end = child.end_byte
        return argv, assignments, redirects

    def assign(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment
    ) -> tuple[str, Word]:
        """Set the variable of an assignment node; return its name and first value."""
        name_node, *rest = node.named_children
        name = source.text(name_node).partition("[")[0]
        if name_node.type == "subscript":
            self.expander.visit(name_node, source, env)
        values: tuple[Word, ...] = (Word(""),)
        if rest and rest[-1].type == "array":
            words: list[Word] = []
            for child in rest[-1].named_children:
                words += self.expander.words(child, source, env)
                self.step(len(words) // 64)
            env.arrays[name] = tuple(words)
            values = (Word(" ".join(word.text for word in words)),)
        elif rest:
            values = self.expander.one(rest[-1], source, env)
        if source.data[name_node.end_byte : name_node.end_byte + 1] == b"+":
            values = tuple(Word(old.text + new.text) for old in env.values(name) for new in values)
        env.assign(name, values)
        return name, values[0]

    def record_written_text(
        self, redirects: Sequence[Redirect], output: str | None, env: Environment
    ) -> None:
        """Remember the text of written files, to follow them when they run."""
        for item in redirects:
            if item.takes_output and item.target.exact and output is not None:
                path = join(env.cwd, item.target).text
                if item.appends and path not in env.files:
                    self.code_texts.appended.add(path)
                old = env.files.get(path, "") if item.appends else ""
                env.files[path] = old + output

    def after_heredoc(
        self,
        opened: OpenedFiles,
        output: str | None,
        first: int,
        source: SyntaxSource,
        env: Environment,
        context: CommandContext,
    ) -> str | None:
        """Read the rest of the line behind `<<EOF`."""
        for node in opened.pipes:
            stages = [child for child in node.children if child.is_named]
            output = self.stages(stages, source, env, context, output, first)
        for node in opened.then:
            printed = self.statement(node, source, env, context)
            output = None if output is None or printed is None else output + printed
        return output

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
        for stage in stages:
            fed_by = tuple(range(first, len(self.commands)))
            first = len(self.commands)
            here = msgspec.structs.replace(context, input=output, fed_by=fed_by, concurrent=True)
            branch = env.fork()
            output = self.statement(stage, source, branch, here)
            env.files.update(branch.files)
        return output

    def _substitute(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment
    ) -> str | None:
        """Read the commands inside `$( )` or `<( )`."""
        if self._depth > MAX_NESTING:
            raise TooDeepError(MAX_NESTING)
        context = msgspec.structs.replace(self.context, input=None, fed_by=())
        only = node.named_children
        if len(only) == 1 and only[0].type == "file_redirect":
            opened = open_redirects(self, only, source, env)
            self.emit(Command((), env.cwd, redirects=tuple(opened.redirects)))
            return opened.input
        branch = env.fork()
        output = self.statements(node.children, source, branch, context)
        env.files.update(branch.files)
        return output

    def _names_listed(self, env: Environment) -> list[str]:
        """Return the file names that the last command prints, with wildcards."""
        if not self.commands:
            return []
        return [word.text for word in names_printed(self, (len(self.commands) - 1,), env)]

    def step(self, count: int = 1) -> None:
        """Count steps, so that no input takes for ever."""
        self._steps += count
        if self._steps >= self._next_check:
            self._check_limits()

    def _check_limits(self) -> None:
        """Raise an error if the steps or the time are used up."""
        if self._steps > MAX_STEPS:
            self._steps = MAX_STEPS + 1
            raise TooMuchWorkError(MAX_STEPS)
        if thread_time() > self._deadline:
            raise TooSlowError
        self._next_check = min(self._steps + _STEPS_BETWEEN_CHECKS, MAX_STEPS + 1)


def _input_file(redirects: Sequence[Redirect], env: Environment) -> str:
    for item in redirects:
        if item.operator == "<" and item.descriptor in {"", "0"} and item.target.exact:
            return join(env.cwd, item.target).text
    return ""


def _span(node: tree_sitter.Node | None, redirects: list[tree_sitter.Node]) -> tuple[int, int]:
    if node is None:
        return redirects[0].start_byte, redirects[-1].end_byte
    return node.start_byte, node.end_byte
