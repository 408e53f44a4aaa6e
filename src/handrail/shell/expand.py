"""From word nodes to the arguments that the shell would make of them."""

import posixpath
import re
from collections.abc import Callable

import tree_sitter

from handrail.shell.environment import Environment, bounded
from handrail.shell.quoting import (
    brace_expand,
    decode_ansi_c,
    mask,
    unescape,
    unescape_string,
    unmask,
)
from handrail.shell.syntax import SyntaxSource
from handrail.shell.word import OPAQUE, Word

_QUOTED = re.compile(r'"[^$`"]*"')
"""Text in double quotes in which nothing is expanded."""
_PLAIN = re.compile(r"[^\\*?\[\]{}~]+")
_GLOB = re.compile(r"[*?]|\[(?:[^\[\]]+|\[)\]")
_FIELD = re.compile(r"[ \t\n]+")
_PARAMETER = re.compile(
    r"\$\{(?P<length>\#)?(?P<indirect>!)?(?P<name>\w+|[@*#?$!-])"
    r"(?:\[(?:(?P<all>[@*])|[^\]]*)\])?(?P<rest>.*)\}",
    re.DOTALL,
)


class Expander:
    """Expands words in an environment; commands inside them are handed to `substitute`."""

    def __init__(
        self,
        substitute: Callable[[tree_sitter.Node, SyntaxSource, Environment], str | None],
        names: Callable[[Environment], list[str]],
    ) -> None:
        self._substitute = substitute
        self._names = names

    def words(self, node: tree_sitter.Node, source: SyntaxSource, env: Environment) -> list[Word]:
        """The arguments that one word node becomes: none, one or several."""
        kind = node.type
        text = source.text(node)
        if kind in {"word", "number"} and _PLAIN.fullmatch(text):
            return [Word(text)]
        if kind == "raw_string":
            return [Word(text[1:-1])]
        if kind == "string" and _QUOTED.fullmatch(text):
            return [Word(unescape_string(text[1:-1]), raw=text)]
        options = self._alternatives(node, source, env, quoted=False)
        result: list[Word] = []
        for fields in options:
            for field in fields:
                expanded = brace_expand(field) if "{" in field else (field,)
                result.extend(_finish(masked, text, env) for masked in expanded)
        if len(options) > 1:
            result = list(dict.fromkeys(result))
        return result

    def one(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment
    ) -> tuple[Word, ...]:
        """The values that a word may have where it is not split (assignments, redirects)."""
        options = self._alternatives(node, source, env, quoted=False)
        raw = source.text(node)
        values = (_finish(" ".join(fields), raw, env) for fields in options)
        return bounded(tuple(dict.fromkeys(values))) or (Word(""),)

    def text_of(self, node: tree_sitter.Node, source: SyntaxSource, env: Environment) -> str:
        """The text of a here-document body or a string, unknown parts marked."""
        options = self._quoted_children(node, source, env, _heredoc_text)
        return unmask(options[0][0]) if options and options[0] else ""

    def _alternatives(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, *, quoted: bool
    ) -> list[list[str]]:
        """Each possible value as a list of fields, quoted specials masked."""
        handler = _HANDLERS.get(node.type)
        if handler is not None:
            return handler(self, node, source, env, quoted)
        if node.named_child_count == 0:
            return [[unescape(source.text(node))]]
        return self._concatenation(node, source, env, quoted)

    def _word(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, quoted: bool
    ) -> list[list[str]]:
        return [[unescape(source.text(node))]]

    def _raw_string(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, quoted: bool
    ) -> list[list[str]]:
        return [[mask(source.text(node)[1:-1])]]

    def _ansi_c_string(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, quoted: bool
    ) -> list[list[str]]:
        return [[mask(decode_ansi_c(source.text(node)[2:-1]))]]

    def _string(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, quoted: bool
    ) -> list[list[str]]:
        inner = node.named_children
        if (
            len(inner) == 1
            and inner[0].end_byte - inner[0].start_byte == node.end_byte - node.start_byte - 2
        ):
            # "$@" and "${array[@]}" alone in quotes are one field for each element.
            elements = self._elements(inner[0], source, env)
            if elements is not None:
                return [[mask(word.text) for word in elements]]
        return self._quoted_children(node, source, env, unescape_string)

    def _elements(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment
    ) -> tuple[Word, ...] | None:
        if node.type not in {"simple_expansion", "expansion"}:
            return None
        match = re.fullmatch(r"\$\{?(@|\w+(?=\[@\]))(?:\[@\])?\}?", source.text(node))
        return env.fields(match[1]) if match else None

    def glued(self, left: Word, right: list[Word], env: Environment) -> list[Word]:
        """Two words that the parser took apart though no blank stands between them."""
        first = right[0]
        if left.text.endswith("$"):
            name = re.match(r"\w*", first.text)
            value = env.values(name.group())[0].text if name else OPAQUE
            text = left.text[:-1] + value + first.text[name.end() if name else 0 :]
            return [Word(part) for part in _split(Word(text), False, env)] + right[1:]
        return [Word(left.text + first.text, left.glob or first.glob), *right[1:]]

    def _translated_string(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, quoted: bool
    ) -> list[list[str]]:
        inner = node.named_children
        return self._string(inner[0], source, env, quoted) if inner else [[""]]

    def _quoted_children(
        self,
        node: tree_sitter.Node,
        source: SyntaxSource,
        env: Environment,
        unquote: Callable[[str], str],
    ) -> list[list[str]]:
        """Text in double quotes: expansions inside are one field each, never split."""
        options = [""]
        is_string = node.type == "string"
        position = node.start_byte + is_string
        end = (
            node.end_byte - is_string
            if source.data[node.end_byte - 1 : node.end_byte] == b'"'
            else node.end_byte
        )
        for child in node.named_children:
            if child.type in {"string_content", "heredoc_content"}:
                continue
            literal = mask(unquote(source.slice(position, child.start_byte)))
            values = [
                " ".join(fields) for fields in self._alternatives(child, source, env, quoted=True)
            ]
            options = bounded(
                [option + literal + mask(value) for option in options for value in values]
            )
            position = child.end_byte
        tail = mask(unquote(source.slice(position, max(position, end))))
        return [[option + tail] for option in options]

    def _concatenation(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, quoted: bool
    ) -> list[list[str]]:
        options: list[list[str]] = [[]]
        position = node.start_byte
        for child in node.children:
            gap = source.slice(position, child.start_byte) if child.start_byte > position else ""
            position = child.end_byte
            values = self._alternatives(child, source, env, quoted=quoted)
            options = bounded(
                [_glue(option, gap, fields) for option in options for fields in values]
            )
        return options

    def _simple_expansion(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, quoted: bool
    ) -> list[list[str]]:
        name = source.text(node)[1:]
        if name in {"@", "*"}:
            return [[word.text for word in env.arguments]]
        return [_split(value, quoted, env) for value in env.values(name)]

    def _expansion(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, quoted: bool
    ) -> list[list[str]]:
        self.visit(node, source, env)
        match = _PARAMETER.fullmatch(source.text(node))
        if not match:
            return [[OPAQUE]]
        elements = env.fields(match["name"]) if match["all"] or match["name"] in "@*" else None
        if elements is not None and not match["rest"]:
            return [[word.text for word in elements]]
        values = self._nested_default(node, match["rest"], source, env)
        if re.match(r":?=", match["rest"]) and match["name"] not in env.variables:
            env.assign(match["name"], tuple(values or _parameter(match, env)))
        return [_split(value, quoted, env) for value in values or _parameter(match, env)]

    def _nested_default(
        self, node: tree_sitter.Node, rest: str, source: SyntaxSource, env: Environment
    ) -> list[Word]:
        """`${x:-${y:-rm}}`: the default is itself an expansion."""
        nested = node.named_children[1:]
        if not re.match(r":?[-=]\$", rest) or len(nested) != 1:
            return []
        own = env.values(source.text(node.named_children[0]))
        return [
            *own,
            *(Word(" ".join(f)) for f in self._alternatives(nested[0], source, env, quoted=True)),
        ]

    def _command_substitution(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, quoted: bool
    ) -> list[list[str]]:
        output = self._substitute(node, source, env)
        if output is None:
            names = [] if quoted else self._names(env)
            return [names] if names else [[OPAQUE]]
        return [_split(Word(output.rstrip("\n")), quoted, env)]

    def _process_substitution(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, quoted: bool
    ) -> list[list[str]]:
        output = self._substitute(node, source, env)
        if output is None:
            return [["/dev/fd/" + OPAQUE]]
        path = f"/dev/fd/{63 + len(env.files)}"
        env.files[path] = output
        return [[path]]

    def _opaque(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment, quoted: bool
    ) -> list[list[str]]:
        self.visit(node, source, env)
        return [[OPAQUE]]

    def visit(self, node: tree_sitter.Node, source: SyntaxSource, env: Environment) -> None:
        """Read the commands inside words whose own value does not matter or stays unknown."""
        for child in node.named_children:
            if child.type in {"command_substitution", "process_substitution"}:
                self._substitute(child, source, env)
            elif child.named_child_count:
                self.visit(child, source, env)


_HANDLERS: dict[
    str, Callable[[Expander, tree_sitter.Node, SyntaxSource, Environment, bool], list[list[str]]]
] = {
    "word": Expander._word,
    "number": Expander._word,
    "raw_string": Expander._raw_string,
    "ansi_c_string": Expander._ansi_c_string,
    "string": Expander._string,
    "translated_string": Expander._translated_string,
    "concatenation": Expander._concatenation,
    "simple_expansion": Expander._simple_expansion,
    "expansion": Expander._expansion,
    "command_substitution": Expander._command_substitution,
    "process_substitution": Expander._process_substitution,
    "arithmetic_expansion": Expander._opaque,
    "brace_expression": Expander._word,
}


def _heredoc_text(text: str) -> str:
    return re.sub(r"\\(\n)|\\([$`\\])", lambda match: match.group(2) or "", text)


def _glue(option: list[str], gap: str, fields: list[str]) -> list[str]:
    """Append fields to a word under construction: the first one continues its last field."""
    if not fields:
        return option
    if not option:
        return [gap + fields[0], *fields[1:]]
    return [*option[:-1], option[-1] + gap + fields[0], *fields[1:]]


def _split(value: Word, quoted: bool, env: Environment) -> list[str]:
    """A variable's value as fields: split at blanks unless it stands in quotes."""
    text = value.text
    if quoted:
        return [text]
    blanks = env.variables.get("IFS")
    if blanks is not None and blanks[0].text.strip():
        text = text.translate(dict.fromkeys(map(ord, blanks[0].text), " "))
    # Glob characters of a value stay active, but braces and tildes are not expanded again.
    text = text.replace("{", chr(0xE000 + ord("{"))).replace("~", chr(0xE000 + ord("~")))
    if " " not in text and "\n" not in text and "\t" not in text:
        return [text]
    return _FIELD.split(text)


def _finish(masked: str, raw: str, env: Environment) -> Word:
    if masked.startswith("~"):
        masked = _tilde(masked, env)
    glob = bool(_GLOB.search(masked))
    text = unmask(masked)
    return Word(text, glob, "" if raw == text else raw)


def _tilde(text: str, env: Environment) -> str:
    head, slash, tail = text.partition("/")
    if head == "~":
        return env.values("HOME")[0].text + slash + tail
    if head == "~+":
        return env.cwd.text + slash + tail
    if head == "~-":
        return OPAQUE + slash + tail
    return posixpath.join("/home", head[1:]) + slash + tail


def _parameter(match: re.Match[str], env: Environment) -> list[Word]:
    """The values of `${name…}`, as far as the operation can be done beforehand."""
    name, rest = match["name"], match["rest"]
    values = list(env.values(name))
    if match["indirect"]:
        values = [final for value in values if value.exact for final in env.values(value.text)]
        return values or [Word(OPAQUE)]
    if match["length"]:
        return [Word(str(len(value.text)) if value.exact else OPAQUE) for value in values]
    if not rest:
        return values
    return [word for value in values for word in _operate(value, rest)]


def _operate(value: Word, rest: str) -> list[Word]:
    operator = re.match(r":?[-=+?]|:|/{1,2}|#{1,2}|%{1,2}|\^{1,2}|,{1,2}|@", rest)
    if not operator:
        return [Word(OPAQUE)]
    symbol, argument = operator.group(), rest[operator.end() :]
    literal = not re.search(r"[$`]", argument)
    if symbol.strip(":") in {"-", "="}:
        default = Word(unescape_string(argument.strip("\"'"))) if literal else Word(OPAQUE)
        if not value.exact:
            return [default, value]
        return [value if value.text else default]
    if symbol.strip(":") == "?":
        return [value]
    if symbol.strip(":") == "+":
        return [Word(argument) if literal else Word(OPAQUE), Word("")]
    if not (value.exact and literal):
        return [Word(OPAQUE)]
    return [Word(_edit(value.text, symbol, argument))]


def _edit(text: str, symbol: str, argument: str) -> str:
    if symbol == ":":
        numbers = re.fullmatch(r"\s*(-?\d{1,6})\s*(?::\s*(-?\d{1,6}))?\s*", argument)
        if not numbers:
            return OPAQUE
        start, length = int(numbers[1]), numbers[2]
        tail = text[start:]
        return tail if length is None else tail[: int(length)]
    if symbol[0] == "/":
        pattern, _, replacement = argument.partition("/")
        if re.search(r"[*?\[]", pattern):
            return OPAQUE
        return text.replace(pattern, replacement, -1 if symbol == "//" else 1)
    if symbol[0] in "^,":
        change = str.upper if symbol[0] == "^" else str.lower
        return change(text) if len(symbol) == 2 else change(text[:1]) + text[1:]
    if symbol[0] == "#" and not re.search(r"[*?\[]", argument):
        return text.removeprefix(argument)
    if symbol[0] == "%" and not re.search(r"[*?\[]", argument):
        return text.removesuffix(argument)
    return OPAQUE
