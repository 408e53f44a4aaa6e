"""Reads a command line the way a shell would, without running anything."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from types import MappingProxyType

import msgspec
import tree_sitter

from handrail.model.effect import Effect
from handrail.shell.assignments import assign
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
from handrail.shell.reading_clock import reading_time
from handrail.shell.redirects import (
    REDIRECTS,
    OpenedFiles,
    input_file,
    input_words,
    open_redirects,
    redirect_end,
)
from handrail.shell.shell_options import KEYWORD, LAST_PIPE, POSIX, keep_assignments
from handrail.shell.statements import STATEMENTS, redirect
from handrail.shell.syntax import MAX_NESTING, MAX_SECONDS, SyntaxSource
from handrail.shell.word import UNKNOWN, Word

MAX_STEPS = 20_000
"""Upper bound of steps for one command line."""
_STEPS_BETWEEN_CHECKS = 64
"""Steps between two looks at the clock; so few steps are never too slow."""
_LEAST_SECONDS = 0.02
"""Least time for the syntax of one text: a short one is read at the end of a review, too."""
_WORDS_BETWEEN_CHECKS = 512
"""The walker counts the words of a command only when it is complete."""
_ARROWS = (b"<", b">")
_MAKE_NO_ERRORS = ([Word("echo")], [Word("printf")])
MAX_COMMANDS = 16
"""Commands that one may be, if its words have several values."""
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
        self._alternatives = range(0)
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
        options, assignments, inner = self._words(node, source, env)
        opened = _NOTHING
        if inner or redirects:
            opened = open_redirects(self, [*inner, *redirects], source, env)
        self.context = outer
        more = opened.arguments
        if node is not None and redirects:
            # The parser loses a lone `-` before a here-document (`sh - <<EOF`).
            lost = source.slice(node.end_byte, redirects[0].start_byte).split()
            more = [*map(Word, lost), *more]
        own = tuple(range(before, len(self.commands)))
        around = context
        if opened.reads:
            context = msgspec.structs.replace(
                context,
                input=opened.input,
                shared=False,
                fed_by=own,
                input_from=tuple(opened.feeders),
            )
        elif own:
            context = msgspec.structs.replace(context, fed_by=context.fed_by + own)
        if env.stdin is not None and not opened.reads:
            context = msgspec.structs.replace(
                context, input=env.stdin[0], shared=True, input_from=()
            )
        first = len(self.commands)
        command = Command(
            (*options[0], *more),
            env.cwd,
            source.place(*_span(node, redirects)),
            tuple(opened.redirects),
            tuple(assignments),
            context.via,
            context.elsewhere,
            context.input,
            context.fed_by,
            context.input_from,
            input_file(opened.redirects, env),
        )
        skipped = env.fork() if opened.fails else None
        output = self._call(command, env, context, [(*words, *more) for words in options[1:]])
        if skipped is not None and command.argv:
            env.join(skipped)
            output = None
        if opened is _NOTHING:
            return output
        if opened.reads and not command.argv:
            output = opened.input  # `$(< file)`
        self.record_written_text(opened.redirects, output, env, command.cwd)
        for sink in opened.sinks:
            known = self.commands[sink]
            fed_by = known.fed_by + tuple(range(first, len(self.commands)))
            self.commands[sink] = msgspec.structs.replace(known, fed_by=fed_by)
        if options[0][:1] not in _MAKE_NO_ERRORS or opened.away:
            output = opened.printed(output)
        return self.after_heredoc(opened, output, first, source, env, around)

    def _call(
        self,
        command: Command,
        env: Environment,
        context: CommandContext,
        others: list[tuple[Word, ...]],
    ) -> str | None:
        """Read a command, and again with other lists of arguments that it may have."""
        first = len(self.commands)
        branches = [env.fork() for _ in others]
        for argv, branch in zip(others, branches, strict=True):
            self._call(msgspec.structs.replace(command, argv=argv), branch, context, [])
        if not command.argv:
            for name, value in command.assignments:
                env.assign(name, (value,))
        output = self.resolver.call(command, env, context)
        if POSIX in env.options and command.argv:
            keep_assignments(command, env)
        if others:
            self._alternatives = range(first, len(self.commands))
        for branch in branches:
            env.join(branch)
        return None if others else output

    def _words(
        self, node: tree_sitter.Node | None, source: SyntaxSource, env: Environment
    ) -> tuple[list[list[Word]], list[tuple[str, Word]], list[tree_sitter.Node]]:
        """Return the arguments that a command node may have, its assignments and redirects."""
        words: list[list[list[Word]]] = []
        assignments: list[tuple[str, Word]] = []
        redirects: list[tree_sitter.Node] = []
        end = -1
        argv: list[Word] = []
        scratch: Environment | None = None
        for index, child in enumerate(node.children if node is not None else (), 1):
            if index % _WORDS_BETWEEN_CHECKS == 0:
                self._check_limits()
            kind = child.type
            if kind == "comment" or child.start_byte < end:
                continue
            if kind == "number" and source.data[child.end_byte : child.end_byte + 1] in _ARROWS:
                # The parser takes the number of `0<<<text` for an argument.
                continue
            if kind == "variable_assignment":
                scratch = scratch or env.fork()
                assignments.append(assign(self, child, source, scratch))
                end = self.word_end
                continue
            if kind in REDIRECTS:
                redirects.append(child)
                end = redirect_end(child, source)
                continue
            word = child.children[0] if kind == "command_name" else child
            plain = self.expander.plain(word, source)
            if plain is not None:
                argv.append(plain)
                continue
            choices, end = self.expander.options(word, source, env)
            if len(choices) == 1:
                argv.extend(choices[0])
                continue
            words += [[argv], choices]
            argv = []
        options = _combined([*words, [argv]]) if words else [argv]
        if KEYWORD in env.options:
            options = [[UNKNOWN if "=" in word.text else word for word in argv] for argv in options]
        return options, assignments, redirects

    def record_written_text(
        self, redirects: Sequence[Redirect], output: str | None, env: Environment, folder: Word
    ) -> None:
        """Remember the text of written files, to follow them when they run."""
        for item in redirects:
            if item.takes_output and item.target.exact and output is not None:
                path = join(folder, item.target).text
                if item.appends and path not in env.files:
                    self.code_texts.appended.add(path)
                old = env.files.get(path, "") if item.appends else ""
                env.files[path] = old + output
            elif item.writes and item.target.exact and env.files:
                env.files.pop(join(folder, item.target).text, None)

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
            for index in (self._alternatives if last in self._alternatives else (last,))
        ]
        return list(dict.fromkeys(name for names in each for name in names)) if all(each) else []

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
        if reading_time() > self._deadline:
            raise TooSlowError
        self._next_check = min(self._steps + _STEPS_BETWEEN_CHECKS, MAX_STEPS + 1)


def _combined(words: list[list[list[Word]]]) -> list[list[Word]]:
    """Each list of arguments that words with several values may make together.

    If there are too many, one list holds all the values, and in one they are unknown.
    """
    if prod(map(len, words)) <= MAX_COMMANDS:
        return [[word for words in chosen for word in words] for chosen in product(*words)]
    every = [word for choices in words for word in dict.fromkeys(w for c in choices for w in c)]
    unknown = [
        word for choices in words for word in (choices[0] if len(choices) == 1 else [UNKNOWN])
    ]
    return [every, unknown]


def _span(node: tree_sitter.Node | None, redirects: list[tree_sitter.Node]) -> tuple[int, int]:
    if node is None:
        return redirects[0].start_byte, redirects[-1].end_byte
    return node.start_byte, node.end_byte
