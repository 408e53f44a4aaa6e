"""Builtin functions of Python that pass values, modules and functions on."""

from collections.abc import Callable, Mapping
from typing import Protocol

from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import Args
from handrail.shell.inline.python_names import PythonScopes, canonical
from handrail.shell.inline.value import (
    DECODED,
    NOTHING,
    REMOTE,
    Value,
    flags_of,
    integer,
    list_of,
    text,
    unknown,
)
from handrail.shell.word import OPAQUE


class BuiltinContext(Protocol):
    """The part of the Python walk that builtins use."""

    found: EffectCollector
    names: PythonScopes

    def call(self, function: Value, args: Args, named: Mapping[str, Value]) -> Value:
        """Add the effects of a call; return its value."""
        ...

    def attribute(self, base: Value, name: str) -> Value:
        """Return the value of an attribute."""
        ...

    def load(self, module: str, level: int = 0) -> Mapping[str, Value]:
        """Walk through a module in a file that is known; return its names."""
        ...


def _import(walk: BuiltinContext, args: Args, _named: Mapping[str, Value]) -> Value:
    name = args[0] if args else NOTHING
    if not name.exact:
        walk.found.hidden(name, DECODED | REMOTE)
        return NOTHING
    walk.load(name.text)
    return Value(ref=canonical(name.text))


def _import_root(walk: BuiltinContext, args: Args, named: Mapping[str, Value]) -> Value:
    module = _import(walk, args, named)
    return module if len(args) > 3 else Value(ref=module.ref.partition(".")[0])


def _get(walk: BuiltinContext, args: Args, _named: Mapping[str, Value]) -> Value:
    if len(args) < 2:
        return NOTHING
    base, name = args[:2]
    if name.choices or not name.exact:
        return Value(ref=f"{base.ref}.{OPAQUE}") if base.ref else unknown(base)
    return walk.attribute(base, name.text)


def _vars(_walk: BuiltinContext, args: Args, _named: Mapping[str, Value]) -> Value:
    return Value(ref=f"{args[0].ref}.__dict__") if args and args[0].ref else NOTHING


def _globals(_walk: BuiltinContext, _args: Args, _named: Mapping[str, Value]) -> Value:
    return Value(ref="globals()")


def _map(walk: BuiltinContext, args: Args, _named: Mapping[str, Value]) -> Value:
    if len(args) < 2:
        return NOTHING
    function, values = args[:2]
    if values.items is None and values.exact and not values.ref:
        items = tuple(text(letter, values.flags) for letter in values.text[:1024])
    else:
        items = values.items if values.items is not None else (unknown(values),)
    return list_of([walk.call(function, (item,), {}) for item in items[:1024]])


def _same_items(_walk: BuiltinContext, args: Args, _named: Mapping[str, Value]) -> Value:
    return args[0] if args and args[0].items is not None else unknown(*args)


def _reversed(_walk: BuiltinContext, args: Args, _named: Mapping[str, Value]) -> Value:
    if args and args[0].items is not None:
        return list_of(reversed(args[0].items))
    if args and args[0].exact and not args[0].ref:
        return list_of([text(letter, args[0].flags) for letter in reversed(args[0].text)])
    return unknown(*args)


def _enumerate(_walk: BuiltinContext, args: Args, _named: Mapping[str, Value]) -> Value:
    if args and args[0].items is not None:
        return list_of([list_of([integer(i), item]) for i, item in enumerate(args[0].items)])
    return unknown(*args)


def _int(_walk: BuiltinContext, args: Args, _named: Mapping[str, Value]) -> Value:
    try:
        base = args[1].number if len(args) > 1 else None
        return integer(int(args[0].text, 10 if base is None else base))
    except (ValueError, IndexError):
        return Value(type="int")


def _thread(walk: BuiltinContext, args: Args, named: Mapping[str, Value]) -> Value:
    """Read a function that starts in a thread."""
    target = named.get("target") or (args[1] if len(args) > 1 else NOTHING)
    given = named.get("args", NOTHING).items or ()
    return walk.call(target, given, {})


def _subclasses(_walk: BuiltinContext, _args: Args, _named: Mapping[str, Value]) -> Value:
    return Value(ref="object.__subclasses__()")


def _subclass(walk: BuiltinContext, args: Args, _named: Mapping[str, Value]) -> Value:
    walk.found.unseen("a class picked out of everything that is loaded")
    return unknown(*args)


def _dictionary(_walk: BuiltinContext, args: Args, named: Mapping[str, Value]) -> Value:
    """`dict(os.environ, HOME=x)`, `os.environ.copy()`."""
    given = args[0].fields if args else {}
    fields = {"**0": args[0]} if given is None else dict(given or {})
    flags = flags_of((*args, *named.values()))
    return Value(type="dict", fields={**fields, **named}, flags=flags)


def _environment(walk: BuiltinContext, _args: Args, _named: Mapping[str, Value]) -> Value:
    environment = walk.attribute(Value(ref="os"), "environ")
    return _dictionary(walk, (environment,), {})


Builtin = Callable[[BuiltinContext, Args, Mapping[str, Value]], Value]

BUILTINS: dict[str, Builtin] = {
    "__import__": _import_root,
    "importlib.import_module": _import,
    "*.load_module": _import,
    "importlib.__import__": _import_root,
    "getattr": _get,
    "vars": _vars,
    "globals": _globals,
    "locals": _globals,
    "map": _map,
    "list": _same_items,
    "tuple": _same_items,
    "set": _same_items,
    "sorted": _same_items,
    "iter": _same_items,
    "reversed": _reversed,
    "enumerate": _enumerate,
    "int": _int,
    "dict": _dictionary,
    "os.environ.copy": _environment,
    "threading.Thread": _thread,
    "threading.Timer": _thread,
    "multiprocessing.Process": _thread,
    "*.__subclasses__": _subclasses,
    "object.__subclasses__": _subclasses,
    "object.__subclass__": _subclass,
}
