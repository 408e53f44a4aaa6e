"""Edit a JSON file as text, and leave every other byte alone.

Programs rewrite settings files with their own idea of spaces. This module does not rewrite a file
that belongs to somebody else: it adds entries at the end of an object or array, removes them
again, and keeps everything around them.

An array or object that existed empty must stay when its entries go. A mark tells it from one that
came with the entries: two blanks between the bracket and the first entry.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

MAX_CHARACTERS = 4_000_000
MAX_DEPTH = 100
_INLINE = 80
_WAS_EMPTY = "  "

_SPACE = re.compile(r"[ \t\n\r]*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+|true|false|null")
_NEWLINE = re.compile(r"\r\n|\n|\r")
_INDENT = re.compile(r"[ \t]*+")


class JsonTextError(ValueError):
    """The text is not editable JSON; says where."""

    def __init__(self, text: str, position: int, says: str) -> None:
        before = _NEWLINE.split(text[:position])
        self.line = len(before)
        self.column = len(before[-1].removeprefix("\ufeff")) + 1
        self.says = says
        super().__init__(f"line {self.line}, column {self.column}: {says}")


class JsonNode(msgspec.Struct, frozen=True):
    """One value: its kind, its place, and its entries."""

    kind: str
    """`{`, `[`, or "" for a plain value."""
    start: int
    end: int
    entries: tuple["JsonEntry", ...] = ()

    def get(self, key: str) -> "JsonEntry | None":
        """Return the member of an object with this name."""
        found = (entry for entry in self.entries if entry.key == key)
        return next(found, None) if self.kind == "{" else None


class JsonEntry(msgspec.Struct, frozen=True):
    """One member of an object, or one element of an array (without a key)."""

    start: int
    """Its start: at the key, if it has one."""
    value: JsonNode
    key: str = ""

    @property
    def end(self) -> int:
        """Return its end: after its value."""
        return self.value.end


class TextEdit(msgspec.Struct, frozen=True, order=True):
    """Put `new` in the place of the text from `start` to `end`."""

    start: int
    end: int
    new: str = ""


class Layout(msgspec.Struct, frozen=True):
    """The line breaks and indentation of a file."""

    newline: str = "\n"
    unit: str = "  "


def apply(text: str, edits: Iterable[TextEdit]) -> str:
    """Apply all edits to the text; they must not overlap."""
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits):
        pieces += text[done : edit.start], edit.new
        done = edit.end
    return "".join((*pieces, text[done:]))


def value(text: str, node: JsonNode) -> object:
    """Return the value of a node. Whole numbers come as floats: any length is fine."""
    found: object = json.loads(text[node.start : node.end], parse_int=float)
    return found


# Reading


def scan(text: str) -> JsonNode:
    """Return the values of a JSON text with their places; raises JsonTextError for lax JSON."""
    if len(text) > MAX_CHARACTERS:
        raise JsonTextError(text, 0, f"larger than {MAX_CHARACTERS:,} characters")
    scanner = _JsonScanner(text)
    start = 1 if text.startswith("\ufeff") else 0
    root = scanner.value(scanner.skip(start), 0)
    rest = scanner.skip(root.end)
    if rest < len(text):
        raise scanner.error(rest, "something follows the end of the JSON value")
    return root


class _JsonScanner:
    def __init__(self, text: str) -> None:
        self._text = text

    def error(self, position: int, says: str) -> JsonTextError:
        """Return the error at a position; name a comment or the end of the file."""
        if position >= len(self._text):
            says = "the file ends too early"
        elif self._text[position] in "/#":
            says = "a comment; this file must be strict JSON"
        return JsonTextError(self._text, position, says)

    def skip(self, position: int) -> int:
        found = _SPACE.match(self._text, position)
        return found.end() if found else position

    def value(self, position: int, depth: int) -> JsonNode:
        opening = self._text[position : position + 1]
        if opening in ("{", "["):
            if depth >= MAX_DEPTH:
                raise self.error(position, f"nested more than {MAX_DEPTH} deep")
            return self._container(opening, position, depth)
        found = (_STRING if opening == '"' else _SCALAR).match(self._text, position)
        if found is None:
            raise self.error(
                position,
                "this text does not end well" if opening == '"' else "a value is expected here",
            )
        return JsonNode("", position, found.end())

    def _container(self, opening: str, start: int, depth: int) -> JsonNode:
        closing = "}" if opening == "{" else "]"
        entries: list[JsonEntry] = []
        keys: set[str] = set()
        position = self.skip(start + 1)
        if self._text.startswith(closing, position):
            return JsonNode(opening, start, position + 1)
        while True:
            entry = self._entry(opening, position, depth, keys)
            entries.append(entry)
            position = self.skip(entry.end)
            if self._text.startswith(closing, position):
                return JsonNode(opening, start, position + 1, tuple(entries))
            if not self._text.startswith(",", position):
                raise self.error(position, f"a comma or {closing} is expected here")
            comma, position = position, self.skip(position + 1)
            if self._text.startswith(closing, position):
                raise self.error(comma, f"a comma with nothing between it and {closing}")

    def _entry(self, opening: str, start: int, depth: int, keys: set[str]) -> JsonEntry:
        if opening == "[":
            return JsonEntry(start, self.value(start, depth + 1))
        name = _STRING.match(self._text, start)
        if name is None:
            raise self.error(start, "a name in double quotes is expected here")
        key: str = json.loads(name.group())
        if key in keys:
            raise self.error(start, f"{json.dumps(key)} is there twice; keep one of them")
        keys.add(key)
        colon = self.skip(name.end())
        if not self._text.startswith(":", colon):
            raise self.error(colon, "a colon is expected here")
        return JsonEntry(start, self.value(self.skip(colon + 1), depth + 1), key)


def layout(text: str, root: JsonNode) -> Layout:
    """Return the layout of this file, judged by the first entry on a line of its own."""
    newline = _NEWLINE.search(text)
    unit = next(_steps(text, root), "")
    return Layout(newline.group() if newline else "\n", unit or "  ")


def _steps(text: str, node: JsonNode) -> Iterator[str]:
    """Yield the indentation of first entries relative to their container, the outermost first."""
    level = [node]
    while level:
        for holder in level:
            if holder.entries and _own_line(text, holder.start + 1, holder.entries[0].start):
                outer, inner = _indent(text, holder.start), _indent(text, holder.entries[0].start)
                if inner != outer and inner.startswith(outer):
                    yield inner[len(outer) :]
        level = [entry.value for holder in level for entry in holder.entries]


def _own_line(text: str, start: int, end: int) -> bool:
    return _NEWLINE.search(text, start, end) is not None


def _indent(text: str, position: int) -> str:
    """Return the indentation of the line around a position."""
    begin = max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1
    if begin == 0 and text.startswith("\ufeff"):
        begin = 1
    found = _INDENT.match(text, begin, position)
    return found.group() if found else ""


# Putting in


def append(
    text: str,
    node: JsonNode,
    entries: Sequence[tuple[str, object]],
    look: Layout,
    *,
    whole: bool = False,
) -> TextEdit:
    """Append entries (names and values; an array ignores the names) to a node.

    `whole`: the node is the whole file; an empty one opens up over several lines.
    """
    outer = _indent(text, node.start)
    inner = _entry_indent(text, node, outer + look.unit)
    keyed = node.kind == "{"
    written = [_entry(key, item, inner, look, keyed=keyed) for key, item in entries]
    between = f",{look.newline}{inner}"
    new = between.join(written)
    if node.entries:
        end = node.entries[-1].end
        return TextEdit(end, end, between + new)
    opened = f"{look.newline}{inner}{new}{look.newline}{outer}" if whole else _WAS_EMPTY + new
    return TextEdit(node.start + 1, node.start + 1, opened)


def _entry_indent(text: str, node: JsonNode, usual: str) -> str:
    """Return the indentation of the last entry, if it has a line of its own."""
    if not node.entries:
        return usual
    begin = node.entries[-2].end if len(node.entries) > 1 else node.start + 1
    last = node.entries[-1].start
    return _indent(text, last) if _own_line(text, begin, last) else usual


def _entry(key: str, item: object, indent: str, look: Layout, *, keyed: bool) -> str:
    name = f"{json.dumps(key, ensure_ascii=False)}: " if keyed else ""
    return name + render(item, indent, look)


def render(item: object, indent: str, look: Layout) -> str:
    """Render a value as text, with plain values on one line if they fit."""
    plain = json.dumps(item, ensure_ascii=False)
    if not isinstance(item, dict | list) or not item:
        return plain
    values = list(item.values()) if isinstance(item, dict) else item
    if len(plain) <= _INLINE and not any(isinstance(each, dict | list) for each in values):
        return f"{{ {plain[1:-1]} }}" if isinstance(item, dict) else plain
    inner = indent + look.unit
    if isinstance(item, dict):
        lines = [_entry(str(key), each, inner, look, keyed=True) for key, each in item.items()]
    else:
        lines = [render(each, inner, look) for each in item]
    opening, closing = "{}" if isinstance(item, dict) else "[]"
    body = f",{look.newline}{inner}".join(lines)
    return f"{opening}{look.newline}{inner}{body}{look.newline}{indent}{closing}"


# Taking out


def was_empty(text: str, node: JsonNode) -> bool:
    """Return whether an object or array existed, empty, before its entries came."""
    return bool(node.entries) and text[node.start + 1 : node.entries[0].start] == _WAS_EMPTY


def drop(text: str, node: JsonNode, which: Sequence[int]) -> list[TextEdit]:
    """Remove the entries with these numbers, each with a comma beside it."""
    gone = set(which)
    kept = [number for number in range(len(node.entries)) if number not in gone]
    if not gone:
        return []
    if not kept:
        return [_empty(text, node)]
    edits = []
    if first := kept[0]:
        edits.append(TextEdit(node.entries[0].start, node.entries[first].start))
    for number in sorted(gone):
        if number > kept[0]:
            comma = text.index(",", node.entries[number - 1].end)
            edits.append(TextEdit(comma, node.entries[number].end))
    return edits


def _empty(text: str, node: JsonNode) -> TextEdit:
    """Remove everything between the brackets, except the blanks from before."""
    first, last = node.entries[0].start, node.entries[-1].end
    before, after = text[node.start + 1 : first], text[last : node.end - 1]
    newline = _NEWLINE.match(before)
    if newline:
        after = after.removeprefix(newline.group() + _indent(text, node.start))
    return TextEdit(node.start + 1, node.end - 1, after)
