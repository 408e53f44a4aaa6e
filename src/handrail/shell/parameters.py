"""`$name` and `${name…}`: arrays, defaults, patterns, slices and the like."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from handrail.shell.arithmetic import evaluate, names_changed
from handrail.shell.fields import (
    BLANKS,
    Fields,
    glued,
    joined_fields,
    separators,
    split_literal,
    with_tilde,
)
from handrail.shell.quoting import MARK, unmask
from handrail.shell.shell_options import EXTENDED_PATTERNS, NO_CASE
from handrail.shell.value_edits import edited, substring, transformed
from handrail.shell.variables import UNSET, Array, bounded
from handrail.shell.word import OPAQUE, UNKNOWN, Word
from handrail.shell.word_scan import WordPart

if TYPE_CHECKING:
    from handrail.shell.expand import WordExpansion

_HEAD = re.compile(
    r"(?P<sign>[!#](?=[\w@*#?$!-]))?(?P<name>[A-Za-z_]\w*|[0-9]+|[@*#?$!-])", re.ASCII
)
_TARGET = re.compile(r"(\w+|[@*])(?:\[([@*]|-?\d+)\])?")
"""What an indirect name may stand for."""
_OPERATOR = re.compile(r":?[-=+?]|:|//|/#|/%|/|##|#|%%|%|\^\^|\^|,,|,|~~|~|@")


class ParameterValue(NamedTuple):
    """One value, or the elements of a list; whether it is set, if that is known."""

    words: tuple[Word, ...]
    lists: str = ""
    """`@` or `*` if it is a list."""
    is_set: bool | None = True


class ParameterExpansion:
    """One `$name` or `${…}` of a word."""

    def __init__(self, word: "WordExpansion", part: WordPart) -> None:
        self._word = word
        self._env = word.env
        self._text = word.source.characters
        self._part = part

    def values(self, *, splits: bool) -> list[Fields]:
        """The fields that it may become."""
        quoted = self._part.quoted
        if self._part.kind == "name":
            found = self._plain(self._text[self._part.start + 1 : self._part.end], "")
            return [self._fields(value, quoted, splits) for value in found]
        start, end = self._part.start + 2, self._part.end - 1
        head = _HEAD.match(self._text, start, end)
        if not head:
            self._argument(start, end)
            return [joined_fields([UNKNOWN], quoted)]
        sign, name, at = head["sign"] or "", head["name"], head.end()
        subscript = ""
        if self._text.startswith("[", at):
            close = self._closing_bracket(at, end)
            subscript = self._subscript(name, at + 1, close)
            at = close + 1
        if sign == "!" and self._text[at:end] in {"@", "*"}:
            found, at = [self._names(name, self._text[at:end])], end
        elif sign == "!":
            found = self._indirect(name, subscript)
        else:
            found = self._plain(name, subscript)
        if sign == "#":
            found = [ParameterValue((_length(value),)) for value in found]
        operator = _OPERATOR.match(self._text, at, end)
        if at >= end:
            return [self._fields(value, quoted, splits) for value in found]
        if not operator:
            self._argument(at, end)
            return [joined_fields([UNKNOWN], quoted)]
        symbol = operator[0]
        if symbol.strip(":") in {"-", "=", "+", "?"} and symbol != ":":
            return self._defaulted(symbol, name, found, operator.end(), end, splits)
        changed = self._changed(symbol, found, operator.end(), end)
        return [self._fields(value, quoted, splits) for value in changed]

    # What a name stands for

    def _plain(self, name: str, subscript: str) -> list[ParameterValue]:
        env = self._env
        if name in {"@", "*"}:
            is_set = env.is_set(name)
            return [ParameterValue(words, name, is_set) for words in env.argument_lists()]
        name = env.name_of(name) if not name.isdecimal() else name
        others = env.other_arrays.get(name)
        if others:
            values = [
                self._of_array(name, subscript, array) for array in (env.arrays[name], *others)
            ]
            return list(dict.fromkeys(value for options in values for value in options))
        return self._of_array(name, subscript, env.arrays.get(name))

    def _of_array(self, name: str, subscript: str, array: Array | None) -> list[ParameterValue]:
        env = self._env
        if subscript in {"@", "*"}:
            if array is None:
                is_set = env.is_set(name)
                words = env.values(name) if is_set is not False else ()
                return [
                    ParameterValue(words[:1] if len(words) < 2 else (UNKNOWN,), subscript, is_set)
                ]
            if OPAQUE in array or (len(array) > 1 and "A" in env.attributes.get(name, "")):
                return [ParameterValue((UNKNOWN,), subscript)]
            return [ParameterValue(tuple(array.values()), subscript, bool(array))]
        if subscript:
            return [self._element(name, subscript, array)]
        if array is not None and "0" not in array:
            is_open = any(key.startswith(OPAQUE) for key in array)
            return [ParameterValue((UNKNOWN,) if is_open else (Word(""),), "", is_open or None)]
        values = env.values(name)
        is_set = UNSET in values or env.is_set(name)
        return [ParameterValue((word,), "", is_set and word != UNSET) for word in values]

    def _element(self, name: str, key: str, array: Array | None) -> ParameterValue:
        if array is None:
            if key == "0" and (values := self._env.values(name)) and len(values) == 1:
                return ParameterValue(values, "", self._env.is_set(name))
            known = self._env.is_set(name) is not None and OPAQUE not in key
            return ParameterValue((Word("") if known else UNKNOWN,), "", False if known else None)
        counted = all(index.isdecimal() for index in array)
        if key.startswith("-") and key[1:].isdecimal() and array and counted:
            key = str(max(map(int, array)) + 1 - int(key[1:]))
        if key in array and OPAQUE not in array:
            return ParameterValue((array[key],))
        if OPAQUE in key or any(index.startswith(OPAQUE) for index in array):
            return ParameterValue((UNKNOWN,), "", None)
        return ParameterValue((Word(""),), "", False)

    def _names(self, start: str, lists: str) -> ParameterValue:
        """`${!x@}`: the variables whose names begin so; the environment may hold more."""
        names = sorted(
            name
            for name, values in self._env.variables.items()
            if values and name.startswith(start)
        )
        return ParameterValue((*map(Word, names), UNKNOWN), lists)

    def _indirect(self, name: str, subscript: str) -> list[ParameterValue]:
        """`${!x}`, `${!x[@]}`."""
        env = self._env
        if subscript in {"@", "*"}:
            array = env.arrays.get(env.name_of(name))
            several = env.other_arrays.get(env.name_of(name))
            if array is None or several or not all(key.isdecimal() for key in array):
                return [ParameterValue((UNKNOWN,), subscript)]
            return [ParameterValue(tuple(map(Word, array)), subscript)]
        if name in env.references:
            return [ParameterValue((Word(env.references[name]),))]
        found: list[ParameterValue] = []
        for value in self._plain(name, subscript):
            word = value.words[0] if value.words else UNKNOWN
            target = _TARGET.fullmatch(word.text) if word.exact else None
            if target:
                found += self._plain(target[1], target[2] or "")
            else:
                found.append(ParameterValue((UNKNOWN,), "", None))
        return found

    def _closing_bracket(self, start: int, end: int) -> int:
        depth = 0
        for at in range(start, end):
            depth += (self._text[at] == "[") - (self._text[at] == "]")
            if depth == 0:
                return at
        return end

    def _subscript(self, name: str, start: int, end: int) -> str:
        text = self._text[start:end]
        if text in {"@", "*"}:
            return text
        return self.key_of(name, start, end)

    def key_of(self, name: str, start: int, end: int) -> str:
        """The index or key that stands in square brackets; OPAQUE if it is unknown."""
        options = self._argument(start, end)
        text = unmask(options[0]) if len(options) == 1 else OPAQUE
        if "A" in self._env.attributes.get(self._env.name_of(name), ""):
            return text
        total = self._number(text)
        return OPAQUE if total is None else str(total)

    # Operators

    def _argument(self, start: int, end: int, *, quoted: bool = False) -> list[str]:
        """The values of what stands behind an operator, unsplit and masked."""
        inner = self._word.with_splitting(False)
        scanned = inner.scanner.argument(start, end, quoted=quoted)
        return bounded(list(dict.fromkeys(inner.texts(scanned))))

    def _default(self, start: int, end: int, splits: bool) -> list[Fields]:
        """The fields of what stands behind `:-` and such."""
        quoted = self._part.quoted
        inner = self._word.with_splitting(splits)
        scanned = inner.scanner.argument(start, end, quoted=quoted)
        skeleton = scanned.skeleton if quoted else with_tilde(scanned.skeleton, self._env)
        options = inner.pieces(skeleton, scanned.parts, splits_text=splits)
        return [glued([MARK], fields) for fields in options] if quoted else options

    def _defaulted(
        self,
        symbol: str,
        name: str,
        found: list[ParameterValue],
        start: int,
        end: int,
        splits: bool,
    ) -> list[Fields]:
        """`${x:-y}`, `${x:=y}`, `${x:+y}`, `${x:?y}`."""
        quoted = self._part.quoted
        options: list[Fields] = []
        default = self._default(start, end, splits)
        for value in found:
            present = _is_present(value, null_counts=symbol[0] == ":")
            own = [self._fields(value, quoted, splits)]
            if symbol[-1] == "+":
                if present is not False:
                    options += default
                if present is not True:
                    options.append([MARK] if quoted else [])
                continue
            if present is not True and symbol[-1] in "-=":
                options += default
                if symbol[-1] == "=":
                    texts = [Word(unmask(" ".join(fields))) for fields in default]
                    known = value.words if present is None else ()
                    self._env.assign(name, tuple(dict.fromkeys((*texts, *known))))
            if present is not False:
                options += own
        return bounded(options) or [[]]

    def _changed(
        self, symbol: str, found: list[ParameterValue], start: int, end: int
    ) -> list[ParameterValue]:
        if self._part.quoted and "'" in self._text[start:end]:
            # What single quotes mean there differs between operators and shells.
            self._argument(start, end)
            return [ParameterValue((UNKNOWN,), value.lists) for value in found]
        if symbol == ":":
            return [self._sliced(value, start, end) for value in found]
        if symbol == "@":
            letter = self._text[start:end]
            return [_each(value, lambda word: transformed(word, letter)) for value in found]
        pattern_end, replacements = end, [""]
        if self._matches_otherwise(symbol, start, end):
            self._argument(start, end)
            return [ParameterValue((UNKNOWN,), value.lists) for value in found]
        if symbol[0] == "/":
            pattern_end = self._slash(start, end)
            replacements = self._argument(pattern_end + 1, end) if pattern_end < end else [""]
        patterns = self._argument(start, pattern_end)
        return bounded([
            _each(value, lambda word: edited(word, symbol, pattern, replacement))  # noqa: B023
            for value in found
            for pattern in patterns
            for replacement in replacements
        ])  # fmt: skip

    def _matches_otherwise(self, symbol: str, start: int, end: int) -> bool:
        """Whether an option gives a pattern another meaning."""
        options = self._env.options
        if symbol[0] == "/" and NO_CASE in options:
            return True
        return EXTENDED_PATTERNS in options and "(" in self._text[start:end]

    def _slash(self, start: int, end: int) -> int:
        """Where the pattern of `${x/pattern/text}` ends."""
        match = re.compile(
            r"""(?:[^/\\'"$`]|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|\$\{[^}]*\}|\$\([^)]*\)|`[^`]*`|\$)*""",
            re.DOTALL,
        ).match(self._text, start, end)
        return match.end() if match else end

    def _sliced(self, value: ParameterValue, start: int, end: int) -> ParameterValue:
        text = self._argument(start, end)
        if len(text) != 1:
            return ParameterValue((UNKNOWN,), value.lists)
        first, colon, second = unmask(text[0]).partition(":")
        if "?" in text[0]:
            return ParameterValue((UNKNOWN,), value.lists)
        offset, length = self._number(first), self._number(second) if colon else None
        if offset is None or (colon and length is None):
            return ParameterValue((UNKNOWN,), value.lists)
        if value.lists:
            return self._sliced_list(value, offset, length)
        return _each(value, lambda word: substring(word, offset, length))

    def _sliced_list(
        self, value: ParameterValue, offset: int, length: int | None
    ) -> ParameterValue:
        words = value.words
        keys = [str(index) for index in range(len(words))]
        if any(not word.exact or word.glob for word in words) or (
            length is not None and length < 0
        ):
            return ParameterValue((UNKNOWN,), value.lists)
        head = _HEAD.match(self._text, self._part.start + 2)
        name = head["name"] if head else ""
        if name in {"@", "*"}:
            zero = self._env.zero
            words = (zero[0] if len(zero) == 1 else UNKNOWN, *words)
            keys = [str(index) for index in range(len(words))]
        elif (array := self._env.arrays.get(self._env.name_of(name))) is not None:
            keys = list(array)
            several = self._env.other_arrays.get(self._env.name_of(name))
            if several or not all(key.isdecimal() for key in keys):
                return ParameterValue((UNKNOWN,), value.lists)
        if offset < 0:
            offset += int(keys[-1]) + 1 if keys else 0
            if offset < 0:
                return ParameterValue((), value.lists, False)
        chosen = [word for key, word in zip(keys, words, strict=True) if int(key) >= offset]
        return ParameterValue(tuple(chosen[:length] if length is not None else chosen), value.lists)

    # Numbers

    def sum_of(self, start: int, end: int) -> Word:
        """The value of the sum between two places."""
        options = self._argument(start, end, quoted=True)
        text = unmask(options[0]) if len(options) == 1 else OPAQUE
        total = self._number(text)
        return UNKNOWN if total is None else Word(str(total))

    def _number(self, text: str) -> int | None:
        total = None if OPAQUE in text else evaluate(text, self._known)
        for name in names_changed(text):
            self._env.assign(name, (UNKNOWN,))
        return total

    def _known(self, name: str) -> str | None:
        values = self._env.values(name)
        return values[0].text if len(values) == 1 and values[0].exact else None

    def _fields(self, value: ParameterValue, quoted: bool, splits: bool) -> Fields:
        if value.lists and (quoted or not splits):
            if value.lists == "@" and quoted and self._word.splits:
                return joined_fields(value.words, quoted)
            glue = " " if value.lists == "@" else (separators(self._env) or " ")[:1]
            if value.lists == "*" and separators(self._env) == "":
                glue = ""
            text = glue.join(word.text for word in value.words)
            glob = any(word.glob for word in value.words)
            # One text of all the names: no name that the wildcards stand for.
            return joined_fields([Word(text + OPAQUE if glob else text, glob)], quoted)
        if quoted or not splits:
            return joined_fields(value.words, quoted)
        if value.lists and separators(self._env) != BLANKS and Word("") in value.words:
            return [OPAQUE]  # empty elements count then, but not in all places
        return split_literal(value.words, self._env)


def _length(value: ParameterValue) -> Word:
    if value.lists:
        known = all(word.exact and not word.glob for word in value.words)
        return Word(str(len(value.words))) if known else UNKNOWN
    word = value.words[0]
    # How many characters others than ASCII make depends on the locale.
    return Word(str(len(word.text))) if word.text.isascii() and not word.glob else UNKNOWN


def _is_present(value: ParameterValue, *, null_counts: bool) -> bool | None:
    """Whether a value is there; None if only running it tells."""
    if value.is_set is None or value.is_set is False:
        return value.is_set
    if not null_counts:
        return True
    text = "".join(word.text for word in value.words)
    if text.strip(OPAQUE):
        return True
    return None if text else False


def _each(value: ParameterValue, change: Callable[[Word], Word]) -> ParameterValue:
    return ParameterValue(tuple(map(change, value.words)), value.lists, value.is_set)
