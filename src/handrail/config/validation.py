"""Check the written settings against the schema, and collect all problems at once."""

from collections.abc import Iterable
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec

from handrail.config.describe import allowed_texts, expected_value
from handrail.config.errors import ConfigProblem
from handrail.config.foreign_keys import ANSWERS
from handrail.config.setting_tree import SettingNode
from handrail.config.text_values import READERS, PathBase
from handrail.model.near_names import did_you_mean

_SHOWN = 40


def validate(node: SettingNode, kind: Any, home: str) -> tuple[SettingNode, list[ConfigProblem]]:
    """Return the valid part of the tree with its texts resolved, and the problems."""
    checker = _Validator(home)
    checked = checker.walk(node, kind, "")
    problems = sorted(checker.problems, key=lambda problem: problem.origin.line)
    return checked or SettingNode({}, node.origin), problems


def type_at(kind: Any, keys: list[str]) -> Any:
    """Return the type of the value at a key path; None if there is no such key."""
    for key in keys:
        bare, _ = unwrap_type(kind)
        if get_origin(bare) is dict:
            kind = get_args(bare)[1]
        elif _is_struct(bare):
            kind = section_fields(bare).get(key)
        else:
            return None
        if kind is None:
            return None
    return kind


def section_fields(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the keys of a section and their types."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(struct)}


def unwrap_type(kind: Any) -> tuple[Any, str]:
    """Return a type without metadata and `| None`, and the meaning of its texts."""
    meaning = ""
    while True:
        if get_origin(kind) is Annotated:
            kind, *metas = get_args(kind)
            meaning = next((m.extra["is"] for m in metas if m.extra), meaning)
        elif get_origin(kind) in (Union, UnionType):
            kind = next(part for part in get_args(kind) if part is not NoneType)
        else:
            return kind, meaning


class _Validator:
    def __init__(self, home: str) -> None:
        self.home = home
        self.problems: list[ConfigProblem] = []

    def walk(self, node: SettingNode, kind: Any, path: str) -> SettingNode | None:
        bare, meaning = unwrap_type(kind)
        if _is_struct(bare):
            return self._struct(node, kind, bare, path)
        if get_origin(bare) is dict:
            return self._mapping(node, kind, path)
        if get_origin(bare) is tuple:
            return self._list(node, kind, get_args(bare)[0], path)
        return self._leaf(node, kind, bare, meaning, path)

    def _struct(
        self, node: SettingNode, kind: Any, struct: type[msgspec.Struct], path: str
    ) -> SettingNode | None:
        if node.value is None:  # a section whose every line is commented out
            return None
        if not isinstance(node.value, dict):
            self._wrong(node, kind, path)
            return None
        known = section_fields(struct)
        children: dict[str, SettingNode] = {}
        for key, child in node.value.items():
            if key not in known:
                self._unknown(child, key, known, path)
            elif checked := self.walk(child, known[key], f"{path}.{key}"):
                children[key] = checked
        self._required(node, struct, path)
        return SettingNode(children, node.origin)

    def _mapping(self, node: SettingNode, kind: Any, path: str) -> SettingNode | None:
        if node.value is None:
            return None
        if not isinstance(node.value, dict):
            self._wrong(node, kind, path)
            return None
        names, item = get_args(unwrap_type(kind)[0])
        walked = {
            key: self.walk(child, item, f"{path}.{key}")
            for key, child in node.value.items()
            if self._key(child, key, names, path)
        }
        return SettingNode({key: child for key, child in walked.items() if child}, node.origin)

    def _key(self, node: SettingNode, key: str, kind: Any, path: str) -> bool:
        """Check the key of a mapping, if its keys have a meaning."""
        before = len(self.problems)
        self._read(SettingNode(key, node.origin, key), unwrap_type(kind)[1], f"{path}.{key}")
        return len(self.problems) == before

    def _list(self, node: SettingNode, kind: Any, item: Any, path: str) -> SettingNode | None:
        if node.value is None:
            return None
        if not isinstance(node.value, list):
            self._wrong(node, kind, path)
            return None
        walked = (self._item(child, item, f"{path}{step}") for step, child in node.children())
        return SettingNode([child for child in walked if child], node.origin)

    def _item(self, node: SettingNode, kind: Any, path: str) -> SettingNode | None:
        """Check a list item as a whole: no layer completes it later."""
        before = len(self.problems)
        if node.value is None:
            self._wrong(node, kind, path)
            return None
        checked = self.walk(node, kind, path)
        if checked and _is_struct(unwrap_type(kind)[0]) and len(self.problems) == before:
            try:
                msgspec.convert(checked.plain(), kind)
            except msgspec.ValidationError as error:
                self._says(node, path, str(error))
                return None
        return checked

    def _leaf(
        self, node: SettingNode, kind: Any, bare: Any, meaning: str, path: str
    ) -> SettingNode | None:
        value = node.value
        if bare is str and isinstance(value, bool | int | float):
            value = node.text  # `on: 1` and `goal: 42` need no quotes
        try:
            msgspec.convert(node.plain() if isinstance(value, dict | list) else value, kind)
        except msgspec.ValidationError:
            self._wrong(node, kind, path)
            return None
        return self._read(SettingNode(value, node.origin, node.text), meaning, path)

    def _read(self, node: SettingNode, meaning: str, path: str) -> SettingNode | None:
        """Return a text with its paths made absolute."""
        if not meaning or not isinstance(node.value, str):
            return node
        try:
            value = READERS[meaning](node.value, PathBase(node.origin.folder, self.home))
        except ValueError as error:
            self._says(node, path, f"{node.value!r} {error}")
            return None
        return SettingNode(value, node.origin, node.text)

    def _required(self, node: SettingNode, struct: type[msgspec.Struct], path: str) -> None:
        for field in msgspec.structs.fields(struct):
            if field.required and node.find(field.encode_name) is None:
                says = f"{field.encode_name} is missing; expected {expected_value(field.type)}"
                self._says(node, path, says)

    def _unknown(self, node: SettingNode, key: str, known: dict[str, Any], path: str) -> None:
        answer = ANSWERS.get(key) or f"{_hint(key, known)} allowed: {', '.join(known)}".lstrip()
        says = f"unknown key; {answer}"
        self._says(node, f"{path}.{key}", says)

    def _wrong(self, node: SettingNode, kind: Any, path: str) -> None:
        hint = _hint(node.text, allowed_texts(kind))
        self._says(node, path, f"{_shown(node)};{hint} expected {expected_value(kind)}")

    def _says(self, node: SettingNode, path: str, says: str) -> None:
        self.problems.append(ConfigProblem(node.origin, path.removeprefix("."), says))


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _hint(word: str, words: Iterable[str]) -> str:
    asked = did_you_mean(word, words)
    return asked and f" {asked}"


def _shown(node: SettingNode) -> str:
    if isinstance(node.value, dict):
        return "a mapping is not allowed here"
    if isinstance(node.value, list):
        return "a list is not allowed here"
    if node.value is None:
        return "nothing is written here"
    text = node.text if len(node.text) <= _SHOWN else f"{node.text[:_SHOWN]}…"
    return f"{text!r} is not allowed" if isinstance(node.value, str) else f"{text} is not allowed"
