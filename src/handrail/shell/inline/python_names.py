"""Values of the names in Python code, scope by scope."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from handrail.shell.inline.python_table import CALLS
from handrail.shell.inline.value import ENVIRON, NOTHING, TYPED_IN, Value, either, text, variable

MODULES = frozenset({"os", "sys", "subprocess", "shutil", "builtins", "importlib", "pty", "socket"})
"""Modules that are recognised wherever they are reached: `posixpath.os`."""

_ALIASES = {
    "posix": "os",
    "nt": "os",
    "posixpath": "os.path",
    "ntpath": "os.path",
    "_io": "io",
    "_socket": "socket",
    "_ctypes": "ctypes",
    "_posixsubprocess": "subprocess",
    "__builtins__": "builtins",
    "__builtin__": "builtins",
    "urllib2": "urllib.request",
    "httplib": "http.client",
    "commands": "subprocess",
    "pathlib2": "pathlib",
    "aiohttp": "requests",
    "cPickle": "pickle",
}
_PATHS = frozenset({"PosixPath", "PurePath", "PurePosixPath", "WindowsPath"})
_CONSTANTS = {
    "os.environ": Value(ref="os.environ", flags=ENVIRON),
    "os.environb": Value(ref="os.environ", flags=ENVIRON),
    "os.sep": text("/"),
    "os.curdir": text("."),
    "os.pardir": text(".."),
    "os.devnull": text("/dev/null"),
    "sys.executable": text("python3"),
    "sys.argv": Value(ref="sys.argv", flags=TYPED_IN),
}
_ROOTS = frozenset(name.partition(".")[0] for name in CALLS) | MODULES | {"ctypes"}


def canonical(name: str) -> str:
    """Return the name of a module or function in the tables."""
    root, dot, rest = name.partition(".")
    name = _ALIASES.get(root, root) + dot + rest
    if name.startswith("builtins."):
        return name[9:]
    if name.startswith("pathlib."):
        _, cls, *more = name.split(".", 2)
        return ".".join(["pathlib", "Path" if cls in _PATHS else cls, *more])
    return name


class PythonScopes:
    """Scopes of names, innermost last."""

    def __init__(self) -> None:
        self._scopes: list[dict[str, Value]] = [{}]
        self.stars: list[str] = []
        """Modules imported with `*`."""

    def set(self, name: str, value: Value) -> None:
        """Bind a name in the innermost scope."""
        self._scopes[-1][name] = value

    def local(self, name: str) -> Value | None:
        """Return the value that this code bound to a name."""
        for scope in reversed(self._scopes):
            value = scope.get(name)
            if value is not None:
                return value
        return None

    def get(self, name: str) -> Value:
        """Return the value of a name: bound here, a module, a builtin, or unknown."""
        value = self.local(name)
        if value is not None:
            return value
        for module in self.stars:
            full = canonical(f"{module}.{name}")
            if full in CALLS or full in _CONSTANTS:
                return _CONSTANTS.get(full) or Value(ref=full)
        if name in CALLS or name in _ROOTS or name in _ALIASES or name in BUILTIN_NAMES:
            return Value(ref=canonical(name))
        return NOTHING

    @contextmanager
    def inner(self) -> Iterator[None]:
        """Open an inner scope."""
        self._scopes.append({})
        try:
            yield
        finally:
            self._scopes.pop()

    @contextmanager
    def module(self, names: dict[str, Value]) -> Iterator[None]:
        """Go into another module, which knows and changes these names only."""
        outer, self._scopes = self._scopes, [dict(names)]
        try:
            yield
        finally:
            names.update(self._scopes[0])
            self._scopes = outer

    def branch(self, *ways: Callable[[], None]) -> None:
        """Follow several branches; a name that they bind differently gets either value."""
        before = self._scopes[-1]
        ends: list[dict[str, Value]] = []
        for way in ways:
            self._scopes[-1] = dict(before)
            way()
            ends.append(self._scopes[-1])
        self._scopes[-1] = merged = dict(ends[0])
        for name in {name for end in ends for name in end}:
            values = [end[name] for end in ends if name in end]
            if any(value is not values[0] for value in values):
                merged[name] = either(values)
            else:
                merged[name] = values[0]

    def member(self, base: Value, name: str) -> Value:
        """`module.name`."""
        if base.ref == "ctypes.cdll" and name != "LoadLibrary":
            return Value(ref="libc")
        full = canonical(f"{base.ref}.{name}")
        known = _CONSTANTS.get(full)
        if known is not None:
            return known
        if name in MODULES and full not in CALLS:
            return Value(ref=name)
        return Value(ref=full, flags=base.flags)

    def entry(self, base: Value, key: Value) -> Value:
        """`sys.modules["os"]`, `os.environ["HOME"]`, `os.__dict__["system"]`."""
        ref = base.ref
        if ref == "os.environ":
            return variable(key.text)
        if ref in {"sys.modules", "sys.modules.get"}:
            return Value(ref=canonical(key.text))
        if ref == "ctypes.cdll":
            return Value(ref="libc")
        if ref == "builtins":
            return Value(ref=canonical(key.text))
        if ref == "__dict__":
            return Value(ref=canonical(key.text))
        if ref.endswith(".__dict__"):
            return self.member(Value(ref=ref[:-9]), key.text)
        if ref.endswith(("globals()", "__globals__")):
            inherited = f"os.{key.text}"
            return Value(ref=inherited) if inherited in CALLS else self.get(key.text)
        if ref == "object.__subclasses__()":
            return Value(ref="object.__subclass__")
        return Value(flags=base.flags)


BUILTIN_NAMES = frozenset(
    {"__import__", "getattr", "vars", "globals", "locals", "map", "filter", "list", "tuple"}
    | {"sorted", "reversed", "set", "enumerate", "iter", "int", "dict", "repr", "setattr"}
)
