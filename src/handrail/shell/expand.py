"""From word nodes to the arguments that the shell would make of them."""

import re
from collections.abc import Callable, Iterable

import tree_sitter

from handrail.shell.environment import Environment
from handrail.shell.fields import (
    WILDCARDS,
    Fields,
    finished,
    glued,
    joined_fields,
    split_literal,
    split_text,
    with_tilde,
)
from handrail.shell.parameters import ParameterExpansion
from handrail.shell.quoting import brace_expand, unescape_string, unmask
from handrail.shell.shell_options import NO_BRACES
from handrail.shell.syntax import WORD_ENDS, SyntaxSource
from handrail.shell.variables import MAX_ALTERNATIVES, bounded
from handrail.shell.word import OPAQUE, Word
from handrail.shell.word_scan import PART, ScannedWord, WordPart, place_of

_QUOTED = re.compile(r'"[^$`"]*"')
"""Text in double quotes in which nothing is expanded."""
_PLAIN = re.compile(r"[^\\*?\[\]{}~$`'\"(]+")
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})


class Expander:
    """Expands words in an environment; commands inside them are handed to `substitute`."""

    def __init__(
        self,
        substitute: Callable[[tree_sitter.Node, SyntaxSource, Environment], str | None],
        run_text: Callable[[str, Environment], str | None],
        names: Callable[[Environment], list[str]],
    ) -> None:
        """`run_text` reads commands that the parser did not see as such."""
        self._substitute = substitute
        self._run_text = run_text
        self._names = names

    def words(self, node: tree_sitter.Node, source: SyntaxSource, env: Environment) -> list[Word]:
        """The arguments that one word node becomes; all of them, if it has several values."""
        options, _ = self.options(node, source, env)
        if len(options) == 1:
            return options[0]
        return list(dict.fromkeys(word for words in options for word in words))

    def plain(self, node: tree_sitter.Node, source: SyntaxSource) -> Word | None:
        """The argument that a word is in which nothing is expanded; None if something is."""
        kind = node.type
        if source.data[node.end_byte : node.end_byte + 1] not in WORD_ENDS:
            return None
        if kind in {"word", "number"}:
            text = source.text(node)
            return Word(text) if _PLAIN.fullmatch(text) else None
        if kind == "raw_string":
            return Word(source.text(node)[1:-1])
        if kind == "string":
            text = source.text(node)
            if _QUOTED.fullmatch(text):
                return Word(unescape_string(text[1:-1]), raw=text)
        return None

    def options(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment
    ) -> tuple[list[list[Word]], int]:
        """The arguments that the word at a node may become, and where the word ends."""
        plain = self.plain(node, source)
        if plain is not None:
            return [[plain]], node.end_byte
        expansion = WordExpansion(self, source, env)
        scanned = expansion.scanner.word(node.start_byte)
        if scanned.end <= node.start_byte:
            return [[]], node.end_byte
        raw = source.slice(node.start_byte, scanned.end)
        options = [
            [finished(field, raw) for field in fields if field]
            for fields in expansion.fields(scanned)
        ]
        return options, scanned.end

    def one(
        self, node: tree_sitter.Node, source: SyntaxSource, env: Environment
    ) -> tuple[Word, ...]:
        """The values that a word may have where it is not split (assignments, here-strings)."""
        return self.value_at(node.start_byte, source, env)[0]

    def value_at(
        self, start: int, source: SyntaxSource, env: Environment
    ) -> tuple[tuple[Word, ...], int]:
        """The values of the unsplit word that begins at a place, and where it ends."""
        expansion = WordExpansion(self, source, env, splits=False)
        scanned = expansion.scanner.word(start)
        raw = source.slice(start, scanned.end)
        values = tuple(dict.fromkeys(finished(text, raw) for text in expansion.texts(scanned)))
        return bounded(values) or (Word(""),), scanned.end

    def key_at(
        self, name: str, start: int, end: int, source: SyntaxSource, env: Environment
    ) -> str | None:
        """The index or key of an array that stands between two places; None if unknown."""
        place = WordPart("braces", start, end, False)
        key = ParameterExpansion(WordExpansion(self, source, env), place).key_of(name, start, end)
        return None if OPAQUE in key else key

    def document(self, start: int, end: int, source: SyntaxSource, env: Environment) -> str:
        """The text of a here-document body, unknown parts marked."""
        expansion = WordExpansion(self, source, env, splits=False)
        scanned = expansion.scanner.document(start, end)
        texts = set(expansion.texts(scanned))
        if len(texts) > 1:
            return OPAQUE
        # What the text holds itself is quoted: wildcards are those of a value, and stand for names.
        return unmask(WILDCARDS.sub(OPAQUE, texts.pop()))

    def visit(self, node: tree_sitter.Node, source: SyntaxSource, env: Environment) -> None:
        """Read the commands inside words whose own value does not matter or stays unknown."""
        for child in node.named_children:
            if child.type in _SUBSTITUTIONS:
                self._substitute(child, source, env)
            elif child.named_child_count:
                self.visit(child, source, env)

    def output(self, part: WordPart, source: SyntaxSource, env: Environment) -> str | None:
        """What the commands of a part print."""
        node = source.substitution_at(part.start)
        if node is not None:
            return self._substitute(node, source, env)
        text = source.slice(part.start, part.end)
        if text.startswith("`"):
            escaped = r'\\([$`\\"])' if part.quoted else r"\\([$`\\])"
            return self._run_text(re.sub(escaped, r"\1", text[1:-1]), env)
        return self._run_text(text[2:-1], env)

    def names_printed(self, env: Environment) -> list[str]:
        """The file names that the last command prints, with wildcards."""
        return self._names(env)


class WordExpansion:
    """One word in one environment; `splits`: values become several fields."""

    def __init__(
        self, expander: Expander, source: SyntaxSource, env: Environment, *, splits: bool = True
    ) -> None:
        self.env = env
        self.source = source
        self.expander = expander
        self.splits = splits
        self.scanner = source.word_scanner()

    def fields(self, scanned: ScannedWord) -> list[list[str]]:
        """Each possible value as a list of fields, quoted specials masked."""
        skeletons = (
            brace_expand(scanned.skeleton) if "{" in scanned.skeleton else [scanned.skeleton]
        )
        known: dict[str, list[Fields]] = {}
        options: list[list[str]] = [[]]
        for skeleton in skeletons:
            words = self.pieces(with_tilde(skeleton, self.env), scanned.parts, known)
            if len(skeletons) > 1 and NO_BRACES in self.env.options:
                return [[OPAQUE]]
            if len(words) == 1 and len(options) == 1:
                options[0].extend(words[0])
            else:
                options = bounded([option + word for option in options for word in words])
        return options

    def texts(self, scanned: ScannedWord) -> list[str]:
        """Each possible value as one masked text, without splitting."""
        skeleton = with_tilde(scanned.skeleton, self.env, in_value=True)
        options = self.pieces(skeleton, scanned.parts)
        return [" ".join(fields) for fields in options]

    def with_splitting(self, splits: bool) -> "WordExpansion":
        """The same for a text inside this word."""
        return WordExpansion(self.expander, self.source, self.env, splits=splits)

    def pieces(
        self,
        skeleton: str,
        parts: list[WordPart],
        known: dict[str, list[Fields]] | None = None,
        *,
        splits_text: bool = False,
    ) -> list[list[str]]:
        """Put in the values of the parts; `splits_text`: literal blanks split, too."""
        known = {} if known is None else known
        options: list[list[str]] = [[]]
        for piece in PART.split(skeleton):
            if not piece:
                continue
            if not parts or not PART.fullmatch(piece):
                values = [split_text(piece, self.env) if splits_text else [piece]]
            else:
                if piece not in known:
                    known[piece] = self.value(parts[place_of(piece)])
                values = known[piece]
            if len(options) * len(values) > MAX_ALTERNATIVES:
                return [[OPAQUE]]
            options = [glued(option, fields) for option in options for fields in values]
        return options

    def value(self, part: WordPart) -> list[Fields]:
        """The fields that a part may become."""
        if part.kind in {"name", "braces"}:
            return ParameterExpansion(self, part).values(splits=self.splits and not part.quoted)
        if part.kind == "sum":
            return [joined_fields([self._sum(part)], part.quoted)]
        output = self.expander.output(part, self.source, self.env)
        if part.kind == "files":
            return [[self._file(output)]]
        if output is None or (OPAQUE in output and not part.quoted and self.splits):
            names = [] if part.quoted or not self.splits else self.expander.names_printed(self.env)
            if names:
                return [names]
        if output is None:
            return [joined_fields([Word(OPAQUE)], part.quoted)]
        word = Word(output.replace("\0", "").rstrip("\n"))
        return [self.as_fields([word], part.quoted)]

    def as_fields(self, words: Iterable[Word], quoted: bool) -> Fields:
        """Values as fields: split unless they are quoted or stand where nothing is split."""
        if quoted or not self.splits:
            return joined_fields(words, quoted)
        return split_literal(words, self.env)

    def _file(self, output: str | None) -> str:
        if output is None:
            return "/dev/fd/" + OPAQUE
        path = f"/dev/fd/{63 + len(self.env.files)}"
        self.env.files[path] = output
        return path

    def _sum(self, part: WordPart) -> Word:
        text = self.source.characters[part.start : part.end]
        opened, closed = (3, 2) if text.startswith("$((") else (2, 1)
        return ParameterExpansion(self, part).sum_of(part.start + opened, part.end - closed)
