"""Resolve names, members and calls in a script language."""

from handrail.shell.inline.cursor import Cursor
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import Args, Call, CallEffect
from handrail.shell.inline.language import Language
from handrail.shell.inline.value import Value, either, unknown, variable
from handrail.shell.word import OPAQUE

_ALL = frozenset({"to_h", "to_a", "each", "map", "inspect", "to_s", "fetch", "key?"})
"""Methods that read the whole environment."""


class Resolver(Cursor):
    """Remembers the value of each name, and looks up calls in the tables."""

    def __init__(self, language: Language, found: EffectCollector) -> None:
        super().__init__()
        self.language = language
        self.found = found
        self.names: dict[str, Value] = dict(language.constants)

    def one_of(self, values: Value) -> Value:
        """Return the value of a loop's variable."""
        return either(values.items) if values.items else unknown(values)

    def member(self, base: Value, name: str) -> Value:
        """Return the value of a member."""
        if base.choices:
            return either([self.member(choice, name) for choice in base.choices])
        if base.fields is not None and name in base.fields:
            return base.fields[name]
        if base.type and base.type not in {"bytes", "int", "dict"}:
            return Value(
                ref=f"{base.type}.{name}", owner=base, flags=base.flags, source=base.source
            )
        if base.ref and base.ref == self.language.environment and name not in _ALL:
            return variable(name)
        if base.ref and not base.ref.startswith("*."):
            full = self.language.resolve(f"{base.ref}.{name}")
            known = self.language.constants.get(full)
            if known is not None:
                return known
            return Value(ref=full, flags=base.flags, owner=None)
        return Value(ref=f"*.{name}", owner=base, flags=base.flags, source=base.source)

    def entry(self, base: Value, key: Value) -> Value:
        """`base[key]`."""
        special = self.language.subscript
        result = special(base, key) if special is not None else None
        if result is not None:
            return result
        if base.fields is not None:
            return base.fields.get(key.text) or unknown(base)
        if base.items is not None and key.number is not None and key.number < len(base.items):
            return base.items[key.number]
        if base.ref and key.exact and key.text:
            return self.member(base, key.text)
        if base.ref and not key.exact:
            return Value(ref=f"{base.ref}.{OPAQUE}", flags=base.flags)
        return unknown(base)

    def call(self, function: Value, args: Args, named: dict[str, Value]) -> Value:
        """Add the effects of a call; return its value."""
        if function.choices:
            return either([self.call(choice, args, named) for choice in function.choices])
        ref, owner = function.ref, function.owner
        if not ref and not args and function.exact:
            return function
        if not ref and self.language.callable_text and function.exact:
            ref = self.language.resolve(function.text)
        act = self.language.calls.get(ref)
        whole_args = args if owner is None else (owner, *args)
        if act is None and (owner is not None or "." in ref):
            act = self._by_method(ref)
            whole_args = whole_args if ref.startswith("*.") else (function, *args)
        result = None if act is None else act(self.found, Call(ref, whole_args, named))
        if result is not None:
            return result
        result = unknown(function, *whole_args, *named.values())
        if act is None:
            for arg in args:
                if arg.ref in self.language.calls and arg.owner is None:
                    # A function that is handed over will be called: `fetch(u).then(eval)`.
                    self.call(arg, (result,), {})
        return result

    def _by_method(self, ref: str) -> CallEffect | None:
        return self.language.methods.get(ref.rpartition(".")[2])
