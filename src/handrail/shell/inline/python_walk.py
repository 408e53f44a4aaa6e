"""Walk through Python code statement by statement, as far as its values are known."""

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from posixpath import dirname

import msgspec

from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import Args
from handrail.shell.inline.loaded_files import load_first
from handrail.shell.inline.python_imports import folder_of_import, module_files
from handrail.shell.inline.python_names import canonical
from handrail.shell.inline.python_syntax import parse
from handrail.shell.inline.python_text import arithmetic, never_ends
from handrail.shell.inline.python_values import MAX_STEPS, Function, PythonExpressions
from handrail.shell.inline.value import NOTHING, Value, either, flags_of, list_of, unknown
from handrail.shell.variables import HOMES

MAX_LOOP = 8
MAX_DEPTH = 8


class PythonWalk(PythonExpressions):
    """One walk through a module; it enters functions where they are called."""

    def __init__(self, found: EffectCollector) -> None:
        super().__init__(found)
        self._uncalled: dict[Function, None] = {}
        self._modules: dict[str, dict[str, Value]] = {}
        """By file, the names of a module that the code imports."""
        self._imported: dict[Function, dict[str, Value]] = {}
        """Functions of such modules, with the names that they see."""
        self._active: list[Function] = []
        self._returned: list[Value] = []

    def module(self, tree: ast.AST) -> None:
        """Walk through the module, then through functions that nobody called.

        Of functions in imported modules it takes only those that the module mentions.
        """
        self.block(ast.iter_child_nodes(tree))
        mentioned = _mentioned(tree) if self._imported else set()
        self._uncalled |= dict.fromkeys(
            each for each in self._imported if getattr(each, "name", "") in mentioned
        )
        while self._uncalled:
            function = next(iter(self._uncalled))
            self.enter(function, (), {})

    def block(self, nodes: Iterable[ast.AST]) -> None:
        """Walk through statements one after the other."""
        for node in nodes:
            handler = _STATEMENTS.get(type(node))
            if handler is not None:
                handler(self, node)
            elif isinstance(node, ast.expr):
                self.value(node)
            else:
                self.block(ast.iter_child_nodes(node))

    # Statements

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            for name, value in self.load(alias.name).items():
                self.names.set(f"{alias.asname or alias.name}.{name}", value)
            if alias.asname:
                self.names.set(alias.asname, Value(ref=canonical(alias.name)))
            else:
                root = alias.name.partition(".")[0]
                self.names.set(root, Value(ref=canonical(root)))

    def _import_from(self, node: ast.ImportFrom) -> None:
        known = self.load(node.module or "__init__", node.level)
        for alias in node.names:
            if alias.name == "*":
                self.names.stars.append(node.module or "")
                for name, value in known.items():
                    self.names.set(name, value)
            elif alias.name in known:
                self.names.set(alias.asname or alias.name, known[alias.name])
            else:
                inner = f"{node.module}.{alias.name}" if node.module else alias.name
                for name, value in self.load(inner, node.level).items():
                    self.names.set(f"{alias.asname or alias.name}.{name}", value)
                name = canonical(f"{node.module}.{alias.name}")
                self.names.set(alias.asname or alias.name, Value(ref=name))

    def load(self, module: str, level: int = 0) -> Mapping[str, Value]:
        """Walk through a module in a file that is known; return its names."""
        files = module_files(module)
        elsewhere = (f"{folder}/{file}" for folder in self.found.searched for file in files)
        folder = folder_of_import(self.found.folder, level)
        known = load_first((*files, *elsewhere), folder)
        if known is None:
            return {}
        path, text = known
        if path not in self._modules:
            names = self._modules[path] = {}
            tree = parse(text)
            before = set(self._uncalled)
            outer, self.found.folder = self.found.folder, dirname(path)
            with self.names.module(names):
                self.block(ast.iter_child_nodes(tree) if tree else ())
            self.found.folder = outer
            for function in [each for each in self._uncalled if each not in before]:
                del self._uncalled[function]
                self._imported[function] = names
        return self._modules[path]

    def _assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.bind(target, value)

    def _annotate(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, self.value(node.value))

    def _assign_more(self, node: ast.AugAssign) -> None:
        left = self.value(node.target) if isinstance(node.target, ast.Name) else NOTHING
        self.bind(node.target, arithmetic(node.op, left, self.value(node.value)))

    def bind(self, target: ast.expr, value: Value) -> None:
        """Bind a value to a name, or to several names at once."""
        if isinstance(target, ast.Name):
            self.names.set(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            items = value.items
            for index, part in enumerate(target.elts):
                known = items is not None and index < len(items)
                self.bind(part, items[index] if known and items else unknown(value))
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            self.names.set(f"{target.value.id}.{target.attr}", value)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, unknown(value))
        elif isinstance(target, ast.Attribute | ast.Subscript):
            owner = self.value(target.value)
            if isinstance(target, ast.Subscript):
                self._bind_entry(target, owner, self.value(target.slice).text, value)

    def _bind_entry(self, target: ast.Subscript, owner: Value, key: str, value: Value) -> None:
        """`os.environ["HOME"] = x`, and entries of a dictionary with a name."""
        if owner.ref == "os.environ" and key in HOMES:
            self.found.homes[key] = value.text
        elif owner.fields is not None and isinstance(target.value, ast.Name):
            fields = {**owner.fields, key: value}
            self.names.set(target.value.id, msgspec.structs.replace(owner, fields=fields))

    def _branch(self, node: ast.If) -> None:
        self.value(node.test)
        self.names.branch(lambda: self.block(node.body), lambda: self.block(node.orelse))

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        values = self.value(node.iter)
        endless = int(never_ends(node.iter))
        self.found.loops += endless
        for item in self.each(values, MAX_LOOP):
            self.bind(node.target, item)
            self.block(node.body)
        self.found.loops -= endless
        self.block(node.orelse)

    def _while(self, node: ast.While) -> None:
        self.found.loops += 1
        self.value(node.test)
        self.names.branch(lambda: self.block(node.body), lambda: None)
        self.found.loops -= 1
        self.block(node.orelse)

    def _try(self, node: ast.Try) -> None:
        self.names.branch(lambda: self.block([*node.body, *node.orelse]), lambda: None)
        for handler in node.handlers:
            self.names.branch(partial(self.block, handler.body), lambda: None)
        self.block(node.finalbody)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        self.block(node.body)

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.value(decorator)
        self.names.set(node.name, self.define(node))

    def define(self, node: Function) -> Value:
        self._uncalled[node] = None
        return Value(body=node)

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            self._returned.append(self.value(node.value))

    def enter(self, node: Function, args: Args, named: Mapping[str, Value]) -> Value:
        """Walk through a function with the arguments of one call; return its value."""
        self._uncalled.pop(node, None)
        if node in self._active:
            self.found.calls_itself = True
        if self.steps > MAX_STEPS:
            self.found.unseen("more code than can be followed")
        if node in self._active or len(self._active) >= MAX_DEPTH or self.steps > MAX_STEPS:
            return Value(flags=flags_of(args))
        outer, self._returned = self._returned, []
        self._active.append(node)
        at_home = self._imported.get(node)
        with self.names.inner() if at_home is None else self.names.module(at_home):
            self._bind_parameters(node.args, args, named)
            if isinstance(node, ast.Lambda):
                self._returned.append(self.value(node.body))
            else:
                self.block(node.body)
        self._active.pop()
        returned, self._returned = self._returned, outer
        return either(returned) if returned else NOTHING

    def _bind_parameters(
        self, parameters: ast.arguments, args: Args, named: Mapping[str, Value]
    ) -> None:
        places = [*parameters.posonlyargs, *parameters.args]
        defaults = dict(zip(reversed(places), reversed(parameters.defaults), strict=False))
        for index, place in enumerate(places):
            value = args[index] if index < len(args) else named.get(place.arg)
            if value is None:
                default = defaults.get(place)
                value = NOTHING if default is None else self.value(default)
            self.names.set(place.arg, value)
        for place, given in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=False):
            known = named.get(place.arg)
            fallback = NOTHING if given is None else self.value(given)
            self.names.set(place.arg, fallback if known is None else known)
        if parameters.vararg is not None:
            rest = args[len(places) :]
            self.names.set(parameters.vararg.arg, list_of(rest) if rest else NOTHING)


def _mentioned(tree: ast.AST) -> set[str]:
    """Return the names that code uses, of whatever."""
    nodes = list(ast.walk(tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


_STATEMENTS: dict[type[ast.AST], Callable[..., object]] = {
    ast.Import: PythonWalk._import,
    ast.ImportFrom: PythonWalk._import_from,
    ast.Assign: PythonWalk._assign,
    ast.AnnAssign: PythonWalk._annotate,
    ast.AugAssign: PythonWalk._assign_more,
    ast.If: PythonWalk._branch,
    ast.For: PythonWalk._for,
    ast.AsyncFor: PythonWalk._for,
    ast.While: PythonWalk._while,
    ast.Try: PythonWalk._try,
    ast.With: PythonWalk._with,
    ast.AsyncWith: PythonWalk._with,
    ast.FunctionDef: PythonWalk._define,
    ast.AsyncFunctionDef: PythonWalk._define,
    ast.Return: PythonWalk._return,
}
