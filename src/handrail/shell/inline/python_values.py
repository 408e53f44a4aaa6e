"""Evaluate Python expressions, and add the effects of their calls."""

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

import msgspec

from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import Args, Call
from handrail.shell.inline.python_builtins import BUILTINS
from handrail.shell.inline.python_function_effects import PATH, join_paths
from handrail.shell.inline.python_names import MODULES, PythonScopes
from handrail.shell.inline.python_table import CALLS, METHODS, PREFIXES, PROPERTIES
from handrail.shell.inline.python_text import TEXT_METHODS, arithmetic, never_ends, part_of, percent
from handrail.shell.inline.time_limit import check_time
from handrail.shell.inline.value import (
    FALSE,
    NONE,
    NOTHING,
    TRUE,
    Value,
    concatenate,
    either,
    flags_of,
    integer,
    list_of,
    text,
    unknown,
)
from handrail.shell.word import OPAQUE

MAX_STEPS = 20_000
HOLE = "_OPAQUE_"
"""Name that stands for an unknown part."""

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_UNSAFE = frozenset({"os", "subprocess", "shutil", "builtins", "importlib"})


class PythonExpressions(ABC):
    """Evaluates expressions; a subclass walks through statements and functions."""

    def __init__(self, found: EffectCollector) -> None:
        self.found = found
        self.names = PythonScopes()
        self.steps = 0

    @abstractmethod
    def enter(self, node: Function, args: Args, named: Mapping[str, Value]) -> Value:
        """Walk through a function with the arguments of one call; return its value."""

    @abstractmethod
    def load(self, module: str, level: int = 0) -> Mapping[str, Value]:
        """Walk through a module in a file that is known; return its names."""

    @abstractmethod
    def bind(self, target: ast.expr, value: Value) -> None:
        """Bind a value to a name, or to several names at once."""

    @abstractmethod
    def define(self, node: Function) -> Value:
        """Return a function as a value."""

    def each(self, values: Value, limit: int) -> list[Value]:
        """Return the values that a loop goes through."""
        items = values.items if values.items is not None else values.choices
        if not items or self.steps > MAX_STEPS:
            return [unknown(values)]
        if len(items) > limit:
            return [*items[:limit], either(items[limit : 2 * limit])]
        return list(items)

    def value(self, node: ast.expr) -> Value:
        """Return the value of an expression; add the effects of its calls."""
        self.steps += 1
        check_time(self.steps)
        handler = _EXPRESSIONS.get(type(node))
        if handler is not None:
            return handler(self, node)
        parts = [self.value(n) for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
        return unknown(*parts)

    def _constant(self, node: ast.Constant) -> Value:
        value = node.value
        if isinstance(value, str):
            return Value(value.replace(HOLE, OPAQUE))
        if isinstance(value, bytes):
            return Value(value.decode("latin-1").replace(HOLE, OPAQUE), type="bytes")
        if isinstance(value, bool):
            return TRUE if value else FALSE
        return integer(value) if isinstance(value, int) else NONE if value is None else NOTHING

    def _attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name):
            known = self.names.local(f"{node.value.id}.{node.attr}")
            if known is not None:
                return known
        return self.attribute(self.value(node.value), node.attr)

    def attribute(self, base: Value, name: str) -> Value:
        """Return the value of an attribute."""
        if base.choices:
            return either([self.attribute(choice, name) for choice in base.choices])
        if base.type and base.type not in {"bytes", "int"}:
            full = f"{base.type}.{name}"
            if full in PROPERTIES:
                return PROPERTIES[full](self.found, Call(full, (base,))) or NOTHING
            return Value(ref=full, owner=base, flags=base.flags, source=base.source)
        if base.ref and not base.ref.startswith("*."):
            return self.names.member(base, name)
        if name in MODULES:
            return Value(ref=name)
        return Value(ref=f"*.{name}", owner=base, flags=base.flags, source=base.source)

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        part = node.slice
        if isinstance(part, ast.Slice):
            return part_of(
                base, [self.value(b) if b else None for b in (part.lower, part.upper, part.step)]
            )
        key = self.value(node.slice)
        if base.ref:
            return self.names.entry(base, key)
        if base.fields is not None:
            return base.fields.get(key.text) or unknown(base)
        if key.number is not None and base.items is not None:
            index = key.number
            return base.items[index] if -len(base.items) <= index < len(base.items) else NOTHING
        if key.number is not None and base.exact and -len(base.text) <= key.number < len(base.text):
            return text(base.text[key.number], base.flags)
        return unknown(base)

    def _call(self, node: ast.Call) -> Value:
        function = self.value(node.func)
        args = self._spread(node.args)
        named: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is not None:
                named[keyword.arg] = value
            else:
                named.update(value.fields or {"**": value})
        return self.call(function, tuple(args), named)

    def call(self, function: Value, args: Args, named: Mapping[str, Value]) -> Value:
        """Add the effects of a call; return its value."""
        if function.choices:
            return either([self.call(choice, args, named) for choice in function.choices])
        if isinstance(function.body, Function):
            return self.enter(function.body, args, named)
        name, owner = function.ref, function.owner
        full = args if owner is None else (owner, *args)
        if name.startswith("*.") and name not in BUILTINS:
            return self._method(name[2:], owner or NOTHING, args, named)
        builtin = BUILTINS.get(name)
        if builtin is not None:
            return builtin(self, args, named)
        act = CALLS.get(name) or PREFIXES.get(name.partition(".")[0])
        if act is None:
            if OPAQUE in name and name.partition(".")[0] in _UNSAFE:
                self.found.unseen(f"a function of {name.partition('.')[0]}, chosen while it runs")
            method = METHODS.get(name.rpartition(".")[2]) if owner is not None else None
            if method is None or name.startswith("memory."):
                return self._unknown_call(owner, args, named)
            act, full = method, args
        result = act(self.found, Call(name, full, named))
        return unknown(*full, *named.values()) if result is None else result

    def _method(self, name: str, owner: Value, args: Args, named: Mapping[str, Value]) -> Value:
        compute = TEXT_METHODS.get(name)
        if compute is not None:
            result = compute(owner, args, named)
            if result is not None:
                return result
        act = METHODS.get(name)
        if act is not None:
            return act(self.found, Call(name, args, named)) or unknown(owner, *args)
        return self._unknown_call(owner, args, named)

    def _unknown_call(self, owner: Value | None, args: Args, named: Mapping[str, Value]) -> Value:
        """Assume that an unknown function calls its callbacks with the arguments behind them."""
        for index, arg in enumerate(args):
            if arg.ref in CALLS or arg.body is not None:
                return self.call(arg, args[index + 1 :], named)
        return unknown(*(() if owner is None else (owner,)), *args, *named.values())

    def _joined(self, node: ast.JoinedStr) -> Value:
        return concatenate([self.value(part) for part in node.values])

    def _formatted(self, node: ast.FormattedValue) -> Value:
        value = self.value(node.value)
        if node.format_spec is not None:
            self.value(node.format_spec)
        if node.conversion == ord("r") or node.format_spec is not None:
            return value if value.exact and value.text.isalnum() else unknown(value)
        return Value(value.text, flags=value.flags, source=value.source, choices=value.choices)

    def _operation(self, node: ast.BinOp) -> Value:
        # A long sum is nested to the left: gone through in a loop, it cannot nest too deep.
        rights: list[ast.BinOp] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            rights.append(left)
            left = left.left
        value = self.value(left)
        for step in reversed(rights):
            right = self.value(step.right)
            if isinstance(step.op, ast.Div) and PATH in {value.type, right.type, *(
                choice.type for choice in value.choices)}:  # fmt: skip
                joined = join_paths((value, right))
                value = msgspec.structs.replace(joined, type=PATH)
            elif isinstance(step.op, ast.Mod) and not value.type:
                value = percent(value, right)
            else:
                value = arithmetic(step.op, value, right)
        return value

    def _negative(self, node: ast.UnaryOp) -> Value:
        number = self.value(node.operand).number
        return integer(-number) if number is not None and isinstance(node.op, ast.USub) else NOTHING

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> Value:
        return list_of(self._spread(node.elts))

    def _spread(self, nodes: list[ast.expr]) -> list[Value]:
        values: list[Value] = []
        for node in nodes:
            value = self.value(node)
            spread = isinstance(node, ast.Starred) and value.items is not None
            values += value.items if spread and value.items else [value]
        return values

    def _dict(self, node: ast.Dict) -> Value:
        fields: dict[str, Value] = {}
        for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            name = f"**{index}" if key is None else self.value(key).text
            fields[name] = self.value(value)
        return Value(type="dict", fields=fields, flags=flags_of(fields.values()))

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Value:
        with self.names.inner():
            return list_of(self._generate(node.elt, node.generators))

    def _dict_comprehension(self, node: ast.DictComp) -> Value:
        with self.names.inner():
            pair = ast.Tuple([node.key, node.value], ast.Load())
            return unknown(*self._generate(pair, node.generators))

    def _generate(self, element: ast.expr, loops: list[ast.comprehension]) -> list[Value]:
        if not loops:
            return [self.value(element)]
        values: list[Value] = []
        endless = int(never_ends(loops[0].iter))
        self.found.loops += endless
        for item in self.each(self.value(loops[0].iter), 1024):
            self.bind(loops[0].target, item)
            for condition in loops[0].ifs:
                self.value(condition)
            values += self._generate(element, loops[1:])
        self.found.loops -= endless
        return values

    def _either(self, node: ast.IfExp) -> Value:
        self.value(node.test)
        return either([self.value(node.body), self.value(node.orelse)])

    def _or(self, node: ast.BoolOp) -> Value:
        return either([self.value(part) for part in node.values])

    def _inner(self, node: ast.Await | ast.Starred) -> Value:
        return self.value(node.value)

    def _assign_one(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value


_EXPRESSIONS: dict[type[ast.AST], Callable[..., Value]] = {
    ast.Constant: PythonExpressions._constant,
    ast.Name: lambda walk, node: walk.names.get(node.id),
    ast.Attribute: PythonExpressions._attribute,
    ast.Subscript: PythonExpressions._subscript,
    ast.Call: PythonExpressions._call,
    ast.JoinedStr: PythonExpressions._joined,
    ast.FormattedValue: PythonExpressions._formatted,
    ast.BinOp: PythonExpressions._operation,
    ast.UnaryOp: PythonExpressions._negative,
    ast.List: PythonExpressions._list,
    ast.Tuple: PythonExpressions._list,
    ast.Set: PythonExpressions._list,
    ast.Dict: PythonExpressions._dict,
    ast.ListComp: PythonExpressions._comprehension,
    ast.SetComp: PythonExpressions._comprehension,
    ast.GeneratorExp: PythonExpressions._comprehension,
    ast.DictComp: PythonExpressions._dict_comprehension,
    ast.IfExp: PythonExpressions._either,
    ast.BoolOp: PythonExpressions._or,
    ast.NamedExpr: PythonExpressions._assign_one,
    ast.Await: PythonExpressions._inner,
    ast.Starred: PythonExpressions._inner,
    ast.Lambda: lambda walk, node: walk.define(node),
}
