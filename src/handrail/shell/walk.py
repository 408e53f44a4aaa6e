"""Reads a command line the way a shell would, without running anything."""

from time import monotonic

import msgspec
import tree_sitter

from handrail.model.effect import Effect
from handrail.shell.call import Caller
from handrail.shell.command import Command, Note, Program, Redirect
from handrail.shell.environment import Environment
from handrail.shell.errors import TooDeepError, TooMuchWorkError, TooSlowError
from handrail.shell.expand import Expander
from handrail.shell.knowledge import Knowledge
from handrail.shell.paths import join
from handrail.shell.syntax import MAX_NESTING, Source
from handrail.shell.word import UNKNOWN, Word

MAX_STEPS = 20_000
MAX_LOOP = 8
"""Values of a `for` loop that are gone through one by one."""


class Situation(msgspec.Struct, frozen=True):
    """How a command is about to run: its input, and what it was found behind."""

    input: str | None = None
    fed_by: tuple[int, ...] = ()
    via: tuple[str, ...] = ()
    elsewhere: str = ""
    script: str = ""
    concurrent: bool = False
    """In a pipeline or in the background, so that calling itself multiplies it."""


class Walker:
    """Goes through a program once and collects its simple commands."""

    def __init__(self, knowledge: Knowledge, deadline: float = float("inf")) -> None:
        self.knowledge = knowledge
        self._deadline = deadline
        self.commands: list[Command] = []
        self.notes: list[Note] = []
        self.found: list[Effect] = []
        self.broken = False
        self.expander = Expander(self._substitute)
        self.caller = Caller(self)
        self._steps = 0
        self._depth = 0
        self._situation = Situation()

    def read(self, text: str, env: Environment, *, top: bool = True) -> Program:
        """Read a whole command line."""
        self.script(text, env, Situation(), top=top)
        return Program(
            tuple(self.commands),
            tuple(self.notes),
            tuple(self.found),
            tuple(env.files.items()),
            self.broken,
        )

    def script(
        self, text: str, env: Environment, situation: Situation, *, top: bool = False
    ) -> str | None:
        """Read a text as a shell program; returns what it prints, where that is known."""
        source = Source(text, top=top)
        if source.root.has_error:
            self.broken = True
        return self.statements(source.root.children, source, env, situation)

    def statements(
        self,
        nodes: list[tree_sitter.Node],
        source: Source,
        env: Environment,
        situation: Situation,
    ) -> str | None:
        """Read statements one after the other; returns what they print together."""
        output: str | None = ""
        for index, node in enumerate(nodes):
            if not node.is_named or node.type == "comment":
                continue
            after = nodes[index + 1].type if index + 1 < len(nodes) else ""
            here = situation
            if after == "&" and not situation.concurrent:
                here = msgspec.structs.replace(situation, concurrent=True)
            printed = self.statement(node, source, env, here)
            output = None if output is None or printed is None else output + printed
        return output

    def statement(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        """Read one statement; returns what it prints, where that is known."""
        self._step()
        if self._depth > MAX_NESTING:
            raise TooDeepError(MAX_NESTING)
        handler = _STATEMENTS.get(node.type)
        self._depth += 1
        try:
            if handler is None:
                return self.statements(node.children, source, env, situation)
            return handler(self, node, source, env, situation)
        finally:
            self._depth -= 1

    def emit(self, command: Command) -> int:
        """Add a simple command; returns its index."""
        self._step()
        self.commands.append(command)
        return len(self.commands) - 1

    def _step(self) -> None:
        """Count one piece of work, so that no input takes for ever."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TooMuchWorkError(MAX_STEPS)
        if not self._steps & 63 and monotonic() > self._deadline:
            raise TooSlowError

    def note(self, kind: str, says: str) -> None:
        """Add a remark about the command that was read last."""
        self.notes.append(Note(kind, says, max(0, len(self.commands) - 1)))

    # Commands

    def _command(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        return self._run(node, [], source, env, situation)

    def _redirected(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        body: tree_sitter.Node | None = None
        redirects: list[tree_sitter.Node] = []
        for child in node.children:
            if child.type in {"file_redirect", "heredoc_redirect", "herestring_redirect"}:
                redirects.append(child)
            elif child.is_named and body is None:
                body = child
        if body is None or body.type == "command":
            return self._run(body, redirects, source, env, situation)
        opened = self._open(redirects, source, env)
        if opened.input is not None or opened.fed_by:
            situation = msgspec.structs.replace(
                situation, input=opened.input, fed_by=situation.fed_by + opened.fed_by
            )
        first = len(self.commands)
        output = self.statement(body, source, env, situation)
        if opened.redirects:
            self._write(opened.redirects, output, env)
            fed_by = tuple(range(first, len(self.commands)))
            self.emit(Command((), env.cwd, redirects=opened.redirects, fed_by=fed_by,
                              via=situation.via, elsewhere=situation.elsewhere))  # fmt: skip
        return self._after_heredoc(opened, output, first, source, env, situation)

    def _run(
        self,
        node: tree_sitter.Node | None,
        redirects: list[tree_sitter.Node],
        source: Source,
        env: Environment,
        situation: Situation,
    ) -> str | None:
        """Expand a command node and do what its first word says."""
        before = len(self.commands)
        argv: list[Word] = []
        assignments: list[tuple[str, Word]] = []
        inner: list[tree_sitter.Node] = list(redirects)
        for child in node.children if node is not None else ():
            kind = child.type
            if kind == "variable_assignment":
                name, values = self._assignment(child, source, env)
                assignments.append((name, values[0]))
            elif kind == "command_name":
                argv.extend(self.expander.words(child.children[0], source, env))
            elif kind in {"file_redirect", "herestring_redirect", "heredoc_redirect"}:
                inner.append(child)
            elif child.is_named or kind in _WORDLIKE:
                argv.extend(self.expander.words(child, source, env))
        opened = self._open(inner, source, env)
        argv.extend(opened.arguments)
        own = tuple(range(before, len(self.commands)))
        given = opened.input if opened.reads else situation.input
        situation = msgspec.structs.replace(
            situation,
            input=given,
            fed_by=(() if opened.reads else situation.fed_by) + own,
        )
        span = (-1, -1)
        if source.top:
            start = node.start_byte if node is not None else redirects[0].start_byte
            span = (start, node.end_byte if node is not None else redirects[-1].end_byte)
        base = Command(
            tuple(argv), env.cwd, span, opened.redirects, tuple(assignments),
            situation.via, situation.elsewhere, given, situation.fed_by, situation.script,
        )  # fmt: skip
        for name, value in assignments:
            if not argv:
                env.assign(name, (value,))
        first = len(self.commands)
        output = self.caller.call(base, env, situation)
        self._write(opened.redirects, output, env)
        for sink in opened.sinks:
            fed = tuple(range(first, len(self.commands)))
            known = self.commands[sink]
            self.commands[sink] = msgspec.structs.replace(known, fed_by=known.fed_by + fed)
        if any(r.writes for r in opened.redirects):
            output = ""
        return self._after_heredoc(opened, output, first, source, env, situation)

    def _assignment(
        self, node: tree_sitter.Node, source: Source, env: Environment
    ) -> tuple[str, tuple[Word, ...]]:
        name_node, *rest = node.named_children
        name = source.text(name_node).partition("[")[0]
        if not rest:
            return name, (Word(""),)
        value = rest[-1]
        if value.type == "array":
            words = [
                word for child in value.named_children
                for word in self.expander.words(child, source, env)
            ]  # fmt: skip
            return name, (Word(" ".join(word.text for word in words)),)
        values = self.expander.one(value, source, env)
        if source.data[name_node.end_byte : name_node.end_byte + 1] == b"+":
            values = tuple(
                Word(old.text + new.text) for old in env.values(name) for new in values
            )
        return name, values

    def _assign(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        before = len(self.commands)
        name, values = self._assignment(node, source, env)
        env.assign(name, values)
        if len(self.commands) == before or name in _HOOKS:
            self._emit_assignments([(name, values[0])], before, source, node, env, situation)
        return ""

    def _assign_many(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        for child in node.named_children:
            self._assign(child, source, env, situation)
        return ""

    def _declare(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        """`export`, `declare`, `local`, `readonly`, `typeset`."""
        before = len(self.commands)
        assigned: list[tuple[str, Word]] = []
        for child in node.named_children:
            if child.type == "variable_assignment":
                name, values = self._assignment(child, source, env)
                env.assign(name, values)
                assigned.append((name, values[0]))
            elif child.type != "variable_name":
                self.expander.words(child, source, env)
        self._emit_assignments(assigned, before, source, node, env, situation)
        return ""

    def _emit_assignments(
        self,
        assigned: list[tuple[str, Word]],
        before: int,
        source: Source,
        node: tree_sitter.Node,
        env: Environment,
        situation: Situation,
    ) -> None:
        span = (node.start_byte, node.end_byte) if source.top else (-1, -1)
        self.emit(
            Command((), env.cwd, span, assignments=tuple(assigned), via=situation.via,
                    elsewhere=situation.elsewhere,
                    fed_by=tuple(range(before, len(self.commands))))
        )  # fmt: skip

    # Redirects

    def _open(
        self, nodes: list[tree_sitter.Node], source: Source, env: Environment
    ) -> "_Opened":
        opened = _Opened()
        for node in nodes:
            if node.type == "file_redirect":
                self._open_file(node, source, env, opened)
            elif node.type == "herestring_redirect":
                opened.input = self.expander.one(node.named_children[-1], source, env)[0].text + "\n"
                opened.reads = True
            else:
                self._open_heredoc(node, source, env, opened)
        return opened

    def _open_file(
        self, node: tree_sitter.Node, source: Source, env: Environment, opened: "_Opened"
    ) -> None:
        operator = ""
        targets: list[tree_sitter.Node] = []
        for child in node.children:
            if child.type == "file_descriptor":
                continue
            if child.is_named and child.type != "ERROR":
                targets.append(child)
            else:
                operator += source.text(child)
        if not targets:
            return
        before = len(self.commands)
        target = self.expander.one(targets[0], source, env)[0]
        if targets[0].type == "process_substitution" and ">" in operator:
            opened.sinks.extend(range(before, len(self.commands)))
        for extra in targets[1:]:
            opened.arguments.extend(self.expander.words(extra, source, env))
        if operator.endswith("&") and (target.text.isdigit() or target.text == "-"):
            return
        opened.add(Redirect(operator, target))
        if operator.startswith("<") and ">" not in operator:
            opened.reads = True
            opened.input = env.files.get(join(env.cwd, target).text)

    def _open_heredoc(
        self, node: tree_sitter.Node, source: Source, env: Environment, opened: "_Opened"
    ) -> None:
        quoted = False
        for child in node.children:
            kind = child.type
            if kind == "heredoc_start":
                quoted = any(mark in source.text(child) for mark in "'\"\\")
            elif kind == "heredoc_body":
                body = source.text(child)
                opened.input = body if quoted else self.expander.text_of(child, source, env)
                opened.reads = True
            elif kind == "file_redirect":
                self._open_file(child, source, env, opened)
            elif kind == "pipeline":
                opened.pipes.append(child)
            elif child.is_named and kind in {"word", "string", "raw_string", "concatenation",
                                             "simple_expansion", "expansion", "number"}:  # fmt: skip
                opened.arguments.extend(self.expander.words(child, source, env))
            elif child.is_named and kind not in {"heredoc_end", "ERROR"}:
                opened.then.append(child)

    def _after_heredoc(
        self,
        opened: "_Opened",
        output: str | None,
        first: int,
        source: Source,
        env: Environment,
        situation: Situation,
    ) -> str | None:
        """Go on with what stands behind `<<EOF` on the same line."""
        for node in opened.pipes:
            stages = [child for child in node.children if child.is_named]
            output = self._stages(stages, source, env, situation, output, first)
        for node in opened.then:
            printed = self.statement(node, source, env, situation)
            output = None if output is None or printed is None else output + printed
        return output

    def _write(self, redirects: tuple[Redirect, ...], output: str | None, env: Environment) -> None:
        for redirect in redirects:
            if redirect.writes and redirect.target.exact and output is not None:
                path = join(env.cwd, redirect.target).text
                old = env.files.get(path, "") if redirect.appends else ""
                env.files[path] = old + output

    # Lists, pipes, groups

    def _list(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        left, operator, right = (*node.children, None, None)[:3]
        assert left is not None
        output = self.statement(left, source, env, situation)
        if right is None:
            return output
        if operator is not None and operator.type == "||":
            branch = env.fork()
            printed = self.statement(right, source, branch, situation)
            env.join(branch)
        else:
            printed = self.statement(right, source, env, situation)
        return None if output is None or printed is None else output + printed

    def _pipeline(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        stages = [child for child in node.children if child.is_named]
        first = len(self.commands)
        situation = msgspec.structs.replace(situation, concurrent=True)
        output = self.statement(stages[0], source, env.fork(), situation)
        return self._stages(stages[1:], source, env, situation, output, first)

    def _stages(
        self,
        stages: list[tree_sitter.Node],
        source: Source,
        env: Environment,
        situation: Situation,
        output: str | None,
        first: int,
    ) -> str | None:
        for stage in stages:
            fed_by = tuple(range(first, len(self.commands)))
            first = len(self.commands)
            here = msgspec.structs.replace(situation, input=output, fed_by=fed_by, concurrent=True)
            output = self.statement(stage, source, env.fork(), here)
        return output

    def _subshell(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        branch = env.fork()
        output = self.statements(node.children, source, branch, situation)
        env.files.update(branch.files)
        return output

    def _group(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        if node.children and node.children[0].type == "((":
            self.expander._visit_substitutions(node, source, env)
            return ""
        return self.statements(node.children, source, env, situation)

    def _test(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        self.expander._visit_substitutions(node, source, env)
        return ""

    def _substitute(
        self, node: tree_sitter.Node, source: Source, env: Environment
    ) -> str | None:
        """Read the commands inside `$( )` or `<( )`; returns what they print."""
        if self._depth > MAX_NESTING:
            raise TooDeepError(MAX_NESTING)
        situation = msgspec.structs.replace(self._situation, concurrent=False)
        redirect = [child for child in node.named_children if child.type == "file_redirect"]
        if len(redirect) == node.named_child_count == 1:
            opened = self._open(redirect, source, env)
            self.emit(Command((), env.cwd, redirects=opened.redirects))
            return opened.input
        return self.statements(node.children, source, env.fork(), situation)

    # Control flow

    def _branches(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        """`if`: the conditions run, then one of the branches; any of them may."""
        plain: list[tree_sitter.Node] = []
        for child in node.children:
            if child.type in {"elif_clause", "else_clause"}:
                branch = env.fork()
                self.statements(child.children, source, branch, situation)
                env.join(branch)
            else:
                plain.append(child)
        before_then = [child for child in plain if child.is_named][:1]
        self.statements(before_then, source, env, situation)
        branch = env.fork()
        self.statements([c for c in plain if c.is_named][1:], source, branch, situation)
        env.join(branch)
        return None

    def _case(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        self.expander._visit_substitutions(node.children[1], source, env)
        base = env.fork()
        for item in node.named_children:
            if item.type != "case_item":
                continue
            branch = base.fork()
            body = [child for child in item.named_children if child.type in _STATEMENTS]
            self.statements(body, source, branch, situation)
            env.join(branch)
        return None

    def _for(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        name = source.text(node.children[1]) if len(node.children) > 1 else "_"
        values: list[Word] = []
        body: tree_sitter.Node | None = None
        before = len(self.commands)
        for child in node.named_children[1:]:
            if child.type in {"do_group", "compound_statement"}:
                body = child
            else:
                values.extend(self.expander.words(child, source, env))
        fed_by = situation.fed_by + tuple(range(before, len(self.commands)))
        situation = msgspec.structs.replace(situation, fed_by=fed_by)
        values = values or list(env.arguments) or [UNKNOWN]
        if body is None:
            return None
        if len(values) > MAX_LOOP:
            values = [*values[: MAX_LOOP - 1], UNKNOWN]
        for value in values:
            env.assign(name, (value,))
            self.statement(body, source, env, situation)
        return None

    def _loop(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        endless = node.type == "while_statement" and _is_true(node, source)
        before = len(self.commands)
        self.statements(node.children, source, env, situation)
        if endless and not any(c.name in _PAUSES for c in self.commands[before:]):
            self.note("endless", "loops for ever")
        return None

    def _function(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        named = node.named_children
        if len(named) > 1:
            env.functions[source.text(named[0])] = (source, named[-1])
        return ""

    def _fragment(
        self, node: tree_sitter.Node, source: Source, env: Environment, situation: Situation
    ) -> str | None:
        """Something that is not valid syntax: read its words as if they were a command."""
        self.broken = True
        words: list[Word] = []
        for child in node.named_children:
            if child.type in _STATEMENTS:
                self.statement(child, source, env, situation)
            elif child.type in _WORDS or child.type == "command_name":
                words.extend(self.expander.words(child, source, env))
        if words:
            self.emit(Command(tuple(words), env.cwd, via=situation.via))
        return None


class _Opened:
    """The files and texts that a command's redirects opened."""

    __slots__ = ("arguments", "input", "pipes", "reads", "redirects", "sinks", "then")

    def __init__(self) -> None:
        self.redirects: tuple[Redirect, ...] = ()
        self.input: str | None = None
        self.reads = False
        self.arguments: list[Word] = []
        self.sinks: list[int] = []
        self.pipes: list[tree_sitter.Node] = []
        self.then: list[tree_sitter.Node] = []

    @property
    def fed_by(self) -> tuple[int, ...]:
        return ()

    def add(self, redirect: Redirect) -> None:
        self.redirects += (redirect,)


_WORDLIKE = frozenset({"=", "==", "=~"})
_WORDS = frozenset({"word", "string", "raw_string", "concatenation", "ansi_c_string", "number",
                    "simple_expansion", "expansion"})  # fmt: skip
_HOOKS = frozenset({"PATH"})
_PAUSES = frozenset({"sleep", "read", "wait", "inotifywait", "tail", "break", "curl"})

_STATEMENTS = {
    "command": Walker._command,
    "redirected_statement": Walker._redirected,
    "variable_assignment": Walker._assign,
    "variable_assignments": Walker._assign_many,
    "declaration_command": Walker._declare,
    "unset_command": Walker._test,
    "list": Walker._list,
    "pipeline": Walker._pipeline,
    "subshell": Walker._subshell,
    "compound_statement": Walker._group,
    "negated_command": Walker._group,
    "do_group": Walker._group,
    "test_command": Walker._test,
    "if_statement": Walker._branches,
    "case_statement": Walker._case,
    "for_statement": Walker._for,
    "while_statement": Walker._loop,
    "until_statement": Walker._loop,
    "c_style_for_statement": Walker._loop,
    "function_definition": Walker._function,
    "ERROR": Walker._fragment,
}


def _is_true(node: tree_sitter.Node, source: Source) -> bool:
    condition = node.named_children[0] if node.named_children else None
    return condition is not None and source.text(condition) in {"true", ":", "1", "((1))", "[ 1 ]"}
