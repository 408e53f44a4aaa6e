"""The settings as written: a tree in which every value knows its origin."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

Scalar = None | bool | int | float | str


class SettingOrigin(Struct, frozen=True):
    """The place where a value was written."""

    source: str
    """A file as people see it, the name of an environment variable, or `default`."""
    line: int = 0
    folder: str = ""
    """The base folder of relative paths."""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}" if self.line else self.source


DEFAULT = SettingOrigin("default")


class SettingNode(Struct, frozen=True):
    """One value with its origin."""

    value: "Scalar | dict[str, SettingNode] | list[SettingNode]"
    origin: SettingOrigin
    text: str = ""
    """A scalar as written."""

    def children(self) -> "Iterator[tuple[str, SettingNode]]":
        """Yield each child with its step in the key path: `.name` or `[0]`."""
        if isinstance(self.value, dict):
            for key, child in self.value.items():
                yield f".{key}", child
        elif isinstance(self.value, list):
            for index, child in enumerate(self.value):
                yield f"[{index}]", child

    def find(self, path: str) -> "SettingNode | None":
        """Return the node at a key path such as `a.b[0]`; keys may contain dots."""
        return self._find(f".{path}" if path else "")

    def _find(self, path: str) -> "SettingNode | None":
        if not path:
            return self
        for step, child in self.children():
            rest = path.removeprefix(step)
            if rest != path and rest[:1] in ("", ".", "["):
                found = child._find(rest)
                if found is not None:
                    return found
        return None

    def plain(self) -> object:
        """Return the bare data."""
        if isinstance(self.value, dict):
            return {key: child.plain() for key, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain() for child in self.value]
        return self.value


def from_plain(data: object, origin: SettingOrigin) -> SettingNode:
    """Build a tree of plain data with a single origin."""
    if isinstance(data, Mapping):
        return SettingNode(
            {str(key): from_plain(value, origin) for key, value in data.items()}, origin
        )
    if isinstance(data, list | tuple):
        return SettingNode([from_plain(item, origin) for item in data], origin)
    if data is None or isinstance(data, bool | int | float | str):
        return SettingNode(data, origin, str(data))
    raise TypeError(f"{type(data).__name__} cannot stand in a configuration")


def merge_trees(below: SettingNode, above: SettingNode) -> SettingNode:
    """Merge two layers: join mappings, replace everything else."""
    if not isinstance(below.value, dict) or not isinstance(above.value, dict):
        return above
    joined = dict(below.value)
    for key, child in above.value.items():
        joined[key] = merge_trees(joined[key], child) if key in joined else child
    return SettingNode(joined, above.origin)
