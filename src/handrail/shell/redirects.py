"""Redirects of a command: the files it opens, the text it is given."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import tree_sitter

from handrail.shell.command import Redirect
from handrail.shell.environment import Environment
from handrail.shell.fields import WILDCARDS
from handrail.shell.paths import join
from handrail.shell.syntax import SyntaxSource
from handrail.shell.word import OPAQUE, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_ARGUMENTS = frozenset({"word", "string", "raw_string", "ansi_c_string", "concatenation", "number",
                        "simple_expansion", "expansion", "command_substitution"})  # fmt: skip
_LEADING_TABS = re.compile(r"^\t+", re.MULTILINE)


class OpenedFiles:
    """What the redirects of one command opened."""

    __slots__ = (
        "arguments", "away", "elsewhere", "errors", "fails", "feeders", "input", "pipes",
        "reads", "redirects", "sinks", "then",
    )  # fmt: skip

    def __init__(self) -> None:
        self.redirects: list[Redirect] = []
        self.input: str | None = None
        self.away = False
        """Whether the standard output goes to another descriptor (`>&2`)."""
        self.elsewhere = False
        """Whether it goes to a descriptor that may be anything (`>&3`)."""
        self.errors = False
        """Whether something else goes where the output would go (`2>&1`, `3>&1`)."""
        self.fails = False
        """Whether a target may be no word, an empty one or several: then nothing runs."""
        self.reads = False
        """Whether standard input comes from here."""
        self.feeders: list[int] = []
        """Commands whose output is a part of it (`<<< $(ls)`, `< <(ls)`)."""
        self.arguments: list[Word] = []
        """Arguments that stand behind a redirect."""
        self.sinks: list[int] = []
        """Commands in `>( )`, which get the output."""
        self.pipes: list[tree_sitter.Node] = []
        self.then: list[tree_sitter.Node] = []
        """What stands behind `<<EOF` on the same line."""

    def printed(self, output: str | None) -> str | None:
        """What is left of a command's output, or None if that is unknown."""
        if self.errors or self.elsewhere:
            return None
        return "" if self.away else output


def open_redirects(
    walker: "ProgramWalker", nodes: list[tree_sitter.Node], source: SyntaxSource, env: Environment
) -> OpenedFiles:
    """Read the redirects of a command."""
    opened = OpenedFiles()
    for node in nodes:
        if node.type == "file_redirect":
            _file(walker, node, source, env, opened)
        elif node.type == "herestring_redirect":
            _string(walker, node.named_children[-1], source, env, opened)
        else:
            _heredoc(walker, node, source, env, opened)
    return opened


def input_file(redirects: Sequence[Redirect], env: Environment) -> str:
    """The path of the file on standard input, if it is known."""
    for item in redirects:
        if item.operator == "<" and item.descriptor in {"", "0"} and item.target.exact:
            return join(env.cwd, item.target).text
    return ""


def input_words(walker: "ProgramWalker", opened: OpenedFiles, env: Environment) -> str | None:
    """The text on standard input that becomes words: `while read …; done < file`, `$(<file)`."""
    path = input_file(opened.redirects, env)
    if opened.input is not None or not path:
        return opened.input
    return walker.code_texts.text(Word(path), env, as_words=True)


def redirect_end(node: tree_sitter.Node, source: SyntaxSource) -> int:
    """Where the last word of a redirect ends: behind its node, where the parser split it."""
    last = node.named_children[-1] if node.named_children else None
    if last is None or node.type == "heredoc_redirect" or source.ends_word(last.end_byte):
        return node.end_byte
    scanned = source.word_scanner().word(last.start_byte)
    return max(scanned.end, node.end_byte)


def _string(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    opened: OpenedFiles,
) -> None:
    """`<<< word`."""
    before = len(walker.commands)
    values = walker.expander.one(node, source, env)
    opened.feeders = list(range(before, len(walker.commands)))
    text = values[0].text if len(values) == 1 else OPAQUE
    if values[0].glob and "$" in source.text(node):
        text = WILDCARDS.sub(OPAQUE, text)  # those in a value stand for names
    opened.input = text + "\n"
    opened.reads = True


def _file(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    opened: OpenedFiles,
) -> None:
    walker.step()
    operator = descriptor = ""
    targets: list[tree_sitter.Node] = []
    for child in node.children:
        if child.type == "file_descriptor":
            descriptor = source.text(child)
            continue
        if child.is_named:
            targets.append(child)
        else:
            operator += source.text(child)
    if operator.endswith("-"):
        # `>&-` has no target: what follows are arguments.
        opened.arguments.extend(
            word for extra in targets for word in walker.expander.words(extra, source, env)
        )
        return
    if not targets:
        return
    before = len(walker.commands)
    if source.data.startswith(b"<<<", node.start_byte + len(descriptor)):
        _string(walker, targets[0], source, env, opened)
        return
    options, end = walker.expander.options(targets[0], source, env)
    if targets[0].type == "process_substitution":
        inside = range(before, len(walker.commands))
        (opened.sinks if ">" in operator else opened.feeders).extend(inside)
    # The parser takes arguments behind a redirect for more targets: `rm >log /`.
    for extra in targets[1:]:
        if extra.start_byte >= end:
            words, end = walker.expander.options(extra, source, env)
            opened.arguments.extend(word for option in words for word in option)
    if any(len(words) != 1 or words[0].glob or not words[0].text for words in options):
        opened.fails = True
        walker.failures += 1
    for target in dict.fromkeys(word for option in options for word in option):
        _open(Redirect(operator, target, descriptor), env, opened, sure=len(options) == 1)


def _open(item: Redirect, env: Environment, opened: OpenedFiles, *, sure: bool) -> None:
    """Open a file; `sure`: it is this one and no other."""
    operator, target = item.operator, item.target.text
    if operator.endswith("&") and (target.isdigit() or target == "-"):
        is_output = operator == ">&" and item.descriptor in {"", "1"}
        opened.away = opened.away or (is_output and target != "1")
        opened.errors = opened.errors or (not is_output and target == "1")
        opened.elsewhere = opened.elsewhere or (is_output and target not in {"1", "2", "-"})
        if operator.startswith("<") and item.descriptor in {"", "0"}:
            opened.reads, opened.input = True, None
        return
    opened.redirects.append(item)
    opened.away = opened.away or item.takes_output
    if operator.startswith("<") and item.descriptor in {"", "0"}:
        opened.reads = True
        opened.input = env.text_of(join(env.cwd, item.target).text) if sure else None


def _heredoc(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    opened: OpenedFiles,
) -> None:
    quoted = False
    line_end = node.end_byte
    for child in node.children:
        kind = child.type
        if kind == "heredoc_start":
            tag = source.text(child)
            quoted = any(mark in tag for mark in "'\"\\")
            line_end = _line_end(source, child.end_byte)
        elif kind == "heredoc_body":
            if not (opened.reads and opened.input):
                before = len(walker.commands)
                opened.input = _body(walker, child, source, env, quoted=quoted)
                opened.feeders = list(range(before, len(walker.commands)))
                opened.reads = True
        elif child.start_byte > line_end:
            # The parser takes a body that begins with a backslash for more arguments.
            if not opened.reads:
                opened.input = source.slice(line_end + 1, node.end_byte)
                opened.reads = True
        elif kind == "file_redirect":
            _file(walker, child, source, env, opened)
        elif kind == "pipeline":
            opened.pipes.append(child)
        elif kind in _ARGUMENTS and b"\n" not in source.data[child.start_byte : child.end_byte]:
            opened.arguments.extend(walker.expander.words(child, source, env))
        elif kind in _ARGUMENTS:
            opened.input = source.slice(line_end + 1, node.end_byte)
            opened.reads = True
        elif child.is_named and kind != "heredoc_end":
            opened.then.append(child)


def _line_end(source: SyntaxSource, start: int) -> int:
    end = source.data.find(b"\n", start)
    return len(source.data) if end < 0 else end


def _body(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    *,
    quoted: bool,
) -> str:
    """The text of a here-document; the parser loses blanks at its beginning."""
    start = node.start_byte
    while source.data[start - 1 : start] in {b" ", b"\t"}:
        start -= 1
    if quoted:
        text = source.slice(start, node.end_byte)
    else:
        text = walker.expander.document(start, node.end_byte, source, env)
    redirect = node.parent
    dash = redirect is not None and any(child.type == "<<-" for child in redirect.children)
    return _LEADING_TABS.sub("", text) if dash else text
