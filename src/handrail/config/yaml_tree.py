"""Parse YAML into a tree that keeps its line numbers.

Built from the parser's events, not by PyYAML's composer: that one recurses in C and crashes
the process on deep nesting, keeps the last of two equal keys, and reads the key `on` as true.
"""

import math
from collections.abc import Callable
from typing import Any, NoReturn

import yaml

from handrail.config.errors import ConfigError, ConfigProblem
from handrail.config.setting_tree import Scalar, SettingNode, SettingOrigin

MAX_DEPTH = 32
MAX_NODES = 50_000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_resolve: Callable[..., str] = yaml.resolver.Resolver().resolve
_CONSTRUCTOR = yaml.constructor.SafeConstructor()
_TIPS = {
    "found character that cannot start any token": "a tab, @ or ` stands where a value should "
    "begin; indent with spaces, and put such a value in quotes",
    "mapping values are not allowed in this context": "a second `: ` stands in this line; "
    "put the value in quotes, or check the indentation",
}


def parse_yaml_tree(text: str, origin: SettingOrigin) -> SettingNode:
    """Parse a YAML document; an empty one is an empty mapping."""
    builder = _TreeBuilder(origin)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or "cannot be parsed"
        builder.refuse(mark.line if mark else 0, _TIPS.get(problem, f"not YAML: {problem}"))
    except yaml.reader.ReaderError as error:
        builder.refuse(text.count("\n", 0, error.position), "holds a control character")
    if builder.problems:
        raise ConfigError(builder.problems)
    return builder.root()


class _OpenCollection:
    """A list or a mapping that is still open."""

    def __init__(
        self,
        items: dict[str, SettingNode] | list[SettingNode],
        origin: SettingOrigin,
        anchor: str | None = None,
    ) -> None:
        self.items = items
        self.origin = origin
        self.anchor = anchor
        self.key: str | None = None
        self.key_line = 0

    @property
    def wants_key(self) -> bool:
        return isinstance(self.items, dict) and self.key is None

    def put(self, node: SettingNode) -> None:
        if isinstance(self.items, list):
            self.items.append(node)
        else:
            self.items[self.key or ""] = node
            self.key = None


class _TreeBuilder:
    def __init__(self, origin: SettingOrigin) -> None:
        self.problems: list[ConfigProblem] = []
        self._origin = origin
        self._documents: list[SettingNode] = []
        self._open = [_OpenCollection(self._documents, origin)]
        self._anchors: dict[str, SettingNode] = {}
        self._nodes = 0
        self._takers: dict[type[yaml.Event], Callable[[Any, int], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.AliasEvent: self._alias,
            yaml.SequenceStartEvent: lambda event, line: self._start(event, line, []),
            yaml.MappingStartEvent: lambda event, line: self._start(event, line, {}),
            yaml.SequenceEndEvent: self._end,
            yaml.MappingEndEvent: self._end,
        }

    def take(self, event: yaml.Event) -> None:
        if taker := self._takers.get(type(event)):
            taker(event, event.start_mark.line if event.start_mark else 0)

    def root(self) -> SettingNode:
        if not self._documents or self._documents[0].value is None:
            return SettingNode({}, self._origin)
        if len(self._documents) > 1:
            line = self._documents[1].origin.line - self._origin.line
            self.refuse(line, "a second document begins; only one is understood")
        return self._documents[0]

    def refuse(self, line: int, says: str) -> NoReturn:
        """Give up on the file: raise its problems so far, and this one."""
        raise ConfigError([*self.problems, ConfigProblem(self._at(line), "", says)]) from None

    def _at(self, line: int) -> SettingOrigin:
        """Return the place of a line, counted from 0. Only files have lines."""
        first = self._origin.line
        return SettingOrigin(self._origin.source, first and first + line, self._origin.folder)

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        if self._open[-1].wants_key:
            self._key(event.value, line)
        else:
            node = SettingNode(self._value(event, line), self._value_origin(line), event.value)
            self._put(node, event.anchor, line)

    def _key(self, key: str, line: int) -> None:
        frame = self._open[-1]
        if key == "<<":
            self.refuse(line, "`<<` is not understood; write the keys out")
        if isinstance(frame.items, dict) and key in frame.items:
            path = ".".join([*(outer.key for outer in self._open if outer.key), key])
            says = f"is given twice, first in line {frame.items[key].origin.line}"
            self.problems.append(ConfigProblem(self._at(line), path, says))
        frame.key, frame.key_line = key, line

    def _start(
        self, event: Any, line: int, items: dict[str, SettingNode] | list[SettingNode]
    ) -> None:
        self._must_not_be_key(line)
        if event.tag not in (None, "!"):
            self.refuse(line, f"the tag {event.tag} is not understood")
        frame = _OpenCollection(items, self._value_origin(line), event.anchor)
        self._open.append(frame)
        self._grow(len(self._open), line)

    def _end(self, _event: yaml.Event, line: int) -> None:
        frame = self._open.pop()
        self._put(SettingNode(frame.items, frame.origin), frame.anchor, line)

    def _alias(self, event: yaml.AliasEvent, line: int) -> None:
        self._must_not_be_key(line)
        if event.anchor not in self._anchors:
            self.refuse(line, f"*{event.anchor} is not defined above")
        copy = self._copy(self._anchors[event.anchor], len(self._open), line)
        self._put(copy, None, line)

    def _copy(self, node: SettingNode, depth: int, line: int) -> SettingNode:
        """Copy an aliased node and count its size: aliases of aliases multiply."""
        self._grow(depth, line)
        if isinstance(node.value, dict):
            joined = {key: self._copy(v, depth + 1, line) for key, v in node.value.items()}
            return SettingNode(joined, node.origin)
        if isinstance(node.value, list):
            return SettingNode([self._copy(v, depth + 1, line) for v in node.value], node.origin)
        return node

    def _put(self, node: SettingNode, anchor: str | None, line: int) -> None:
        self._grow(len(self._open), line)
        if anchor:
            self._anchors[anchor] = node
        self._open[-1].put(node)

    def _grow(self, depth: int, line: int) -> None:
        self._nodes += 1
        if depth > MAX_DEPTH:
            self.refuse(line, f"is nested deeper than {MAX_DEPTH} levels")
        if self._nodes > MAX_NODES:
            self.refuse(line, f"holds more than {MAX_NODES} values")

    def _must_not_be_key(self, line: int) -> None:
        if self._open[-1].wants_key:
            self.refuse(line, "a key must be a plain text")

    def _value_origin(self, line: int) -> SettingOrigin:
        """Return the place of a mapping's value: the line of its key."""
        frame = self._open[-1]
        return self._at(line if frame.key is None else frame.key_line)

    def _value(self, event: yaml.ScalarEvent, line: int) -> Scalar:
        tag = event.tag
        if tag is None or tag == "!":
            tag = _resolve(yaml.ScalarNode, event.value, event.implicit)
        read = _SCALARS.get(tag.removeprefix("tag:yaml.org,2002:"))
        if read is None:
            self.refuse(line, f"the tag {tag} is not understood")
        try:
            return read(yaml.ScalarNode(tag, event.value))
        except (ValueError, KeyError, IndexError):  # `!!int x`, a number of 5,000 digits
            return str(event.value)


def _text(node: yaml.ScalarNode) -> str:
    return str(node.value)


def _float(node: yaml.ScalarNode) -> float | str:
    """Keep `.nan` and `.inf` as texts: they would pass every check of a range."""
    number = _CONSTRUCTOR.construct_yaml_float(node)
    return number if math.isfinite(number) else str(node.value)


_SCALARS: dict[str, Callable[[yaml.ScalarNode], Scalar]] = {
    "str": _text,
    "timestamp": _text,
    "value": _text,
    "null": lambda _node: None,
    "bool": _CONSTRUCTOR.construct_yaml_bool,
    "int": _CONSTRUCTOR.construct_yaml_int,
    "float": _float,
}
