"""Follows code of a script language: works out its expressions and looks at its calls.

One small reader for all of them. It knows no grammar: it goes from value to value, joins
what is joined by an operator, remembers what is assigned, and looks calls up in a table.
"""

from collections.abc import Callable

from handrail.shell.inline.acts import Act, Args, Call
from handrail.shell.inline.cursor import Cursor
from handrail.shell.inline.found import Found
from handrail.shell.inline.language import Language
from handrail.shell.inline.scan import Token
from handrail.shell.inline.value import (
    GLOB,
    NOTHING,
    Value,
    either,
    flags_of,
    glue,
    several,
    text,
    unknown,
    whole,
)
from handrail.shell.word import OPAQUE

MAX_STEPS = 40_000
MAX_DEPTH = 60
_ASSIGN = frozenset({"=", "+=", ".=", ":=", "<-", "<<-", "..=", "||="})
_CLOSE = frozenset({")", "]", "}", ",", ";"})
_OPEN = frozenset({"(", "[", "{"})
_DOTS = frozenset({".", "::", "->", "?.", ":", "&."})
_NO_VALUE = frozenset({"if", "unless", "while", "until", "for", "and", "or", "do", "then", "x"})


class Follow(Cursor):
    """One walk over the tokens of a piece of code."""

    def __init__(self, language: Language, found: Found) -> None:
        super().__init__()
        self.language = language
        self.found = found
        self.names: dict[str, Value] = dict(language.constants)
        self.target = ""
        """The variable that the value read last is the value of."""
        self._steps = 0
        self._depth = 0
        self._items: list[Value] = []
        """What functions that are handed over will be called with."""

    def read(self, code: str) -> None:
        """Go through code; also through code that it runs."""
        self.go(self.language.scanner.scan(code))

    def go(self, tokens: list[Token]) -> Value:
        """Go through tokens; the value is that of the last statement."""
        outer = self.tokens, self.at
        self.tokens, self.at = tokens, 0
        value = NOTHING
        while self.at < len(tokens):
            before = self.at
            if not self.statement_ends():
                value = self.statement()
            if self.at == before:
                self.at += 1
        self.tokens, self.at = outer
        return value

    def statement(self) -> Value:
        """Read one statement."""
        token = self.peek()
        while token.kind == "name" and token.text in self.language.skipped:
            self.at += 1
            token = self.peek()
        keyword = self.language.keywords.get(token.text) if token.kind == "name" else None
        if keyword is not None:
            self.at += 1
            return keyword(self) or NOTHING
        return self.expression()

    def expression(self) -> Value:
        """Read values and the operators between them."""
        self._depth += 1
        self._steps += 1
        if self._depth > MAX_DEPTH or self._steps > MAX_STEPS:
            raise RecursionError
        try:
            return self._expression()
        finally:
            self._depth -= 1

    def _expression(self) -> Value:
        value = self.primary()
        target = self.target
        while True:
            token = self.peek()
            if token.kind == "name" and token.text in self.language.loops and target:
                self.at += 1
                values = self.expression()
                value = self.names[target] = self.one_of(values)
            elif token.kind != "mark" or token.text in _CLOSE or token.text in _OPEN:
                break
            elif token.text in _ASSIGN and target:
                self.at += 1
                value = self._assign(token.text, target, value)
            elif token.text in self.language.joins:
                self.at += 1
                self.lines()
                value = self._join(value, self.primary())
            else:
                self.at += 1
                before = self.at
                right = self.primary()
                if self.at == before:
                    break
                value = either([value, right]) if token.text in _EITHER else unknown(value, right)
            target = self.target = ""
        return value

    def _assign(self, operator: str, target: str, value: Value) -> Value:
        self.lines()
        right = self.expression()
        if operator in {"+=", ".=", "..="}:
            right = self._join(value, right)
        self.names[target] = right
        return right

    def _join(self, left: Value, right: Value) -> Value:
        if left.number is not None and right.number is not None:
            return whole(left.number + right.number)
        if left.items is not None and right.items is not None:
            return several([*left.items, *right.items])
        return glue([_plain(left), _plain(right)])

    def one_of(self, values: Value) -> Value:
        """The value of a loop's variable."""
        return either(values.items) if values.items else unknown(values)

    # Values

    def primary(self) -> Value:
        """Read one value with everything that is called on it."""
        self.target = ""
        token = self.peek()
        while token.kind == "name" and token.text in self.language.skipped:
            self.at += 1
            token = self.peek()
        reader = _PRIMARY.get(token.kind)
        if reader is None or (token.kind == "mark" and token.text in _CLOSE):
            return NOTHING
        self.at += 1
        return self._chain(reader(self, token))

    def _text(self, token: Token) -> Value:
        if not token.parts:
            return text(token.text)
        return glue(
            [text(p) if isinstance(p, str) else _plain(self.go(list(p))) for p in token.parts]
        )

    def _words(self, token: Token) -> Value:
        return several([text(word) for word in token.text.split()])

    def _glob(self, token: Token) -> Value:
        value = self._text(token)
        return several([Value(value.text, flags=value.flags | GLOB)])

    def _command(self, token: Token) -> Value:
        self.found.script(self._text(token))
        return Value(type="process")

    def _number(self, token: Token) -> Value:
        digits = token.text.replace("_", "")
        octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
        try:
            return whole(int(digits, 8 if octal else 0))
        except ValueError:
            return NOTHING

    def _mark(self, token: Token) -> Value:
        if token.text == "(":
            items = self.arguments(")")[0]
            return items[0] if len(items) == 1 else several(items)
        if token.text == "[":
            return several(self.arguments("]")[0])
        if token.text == "{":
            return self.braces()
        value = self.primary()
        if token.text == "-" and value.number is not None:
            return whole(-value.number)
        return value if token.text in {"\\", "@", "...", "*", "&"} else unknown(value)

    def _name(self, token: Token) -> Value:
        name = token.text
        known = self.names.get(name)
        # A target only if nothing follows that makes it part of something else.
        self.target = name
        if known is not None:
            return known
        return Value(ref=self.language.resolve(name))

    def braces(self) -> Value:
        """Read an object (`{a: 1}`, `{"a" => 1}`) or a block of statements."""
        fields: dict[str, Value] = {}
        items: list[Value] = []
        value = NOTHING
        while self.at < len(self.tokens):
            self.lines()
            if self.mark("}"):
                break
            before = self.at
            name = self._field()
            if name:
                fields[name] = self.expression()
            elif not self.statement_ends():
                value = self.statement()
            if self.mark(","):
                items.append(value)
            self.mark(";")
            if self.at == before:
                self.at += 1
        if items and not fields:
            return several([*items, value])
        if fields:
            return Value(type="dict", fields=fields, flags=flags_of(fields.values()))
        return value

    def _field(self) -> str:
        """The name in `name: value`, `name => value` or `name = value`, if there is one."""
        token, after = self.peek(), self.peek(1)
        named = token.kind in {"name", "text"} and not token.parts and after.kind == "mark"
        if not named or after.text not in {":", "=>"}:
            return ""
        self.at += 2
        return token.text

    def arguments(self, closing: str) -> tuple[Args, dict[str, Value]]:
        """Read values up to a closing mark; those with a name stand apart."""
        values: list[Value] = []
        named: dict[str, Value] = {}
        while self.at < len(self.tokens):
            self.lines()
            if self.mark(closing):
                break
            before = self.at
            self._argument(values, named)
            self.mark(",", ";")
            if self.at == before:
                self.at += 1
        return tuple(values), named

    def _argument(self, values: list[Value], named: dict[str, Value]) -> None:
        token, after = self.peek(), self.peek(1)
        if token.kind == "name" and after.kind == "mark" and after.text == "=>" and self._items:
            # A function that is handed over: `x => f(x)`.
            self.names[token.text] = self._items[-1]
            self.at += 2
            values.append(self.statement())
            return
        name = self._field()
        if not name and token.kind == "name" and after.text == "=" and self.peek(2).kind != "end":
            self.at += 2
            name = token.text
        value = self.statement()
        if name:
            named[name] = value
        elif value.fields is not None:
            named.update(value.fields)
            values.append(value)
        else:
            values.append(value)

    # Calls

    def _chain(self, value: Value) -> Value:
        """Read what stands behind a value: `.name`, `(…)`, `[…]`, a block."""
        while True:
            token, after = self.peek(), self.peek(1)
            if token.kind == "mark" and token.text in self.language.dots and after.kind == "name":
                self.at += 2
                value = self.member(value, after.text)
                self.target = ""
            elif (
                token.kind == "mark"
                and token.text == "("
                and not (
                    token.spaced and value.ref == "" and value.body is None and not self.target
                )
            ):
                self.at += 1
                value = self._called(value, ")")
            elif (
                token.kind == "mark"
                and token.text in {"[", "{"}
                and not token.spaced
                and (
                    value.ref or value.items is not None or value.fields is not None or self.target
                )
            ):
                self.at += 1
                keys = self.arguments("]" if token.text == "[" else "}")[0]
                value = self.entry(value, keys[0] if keys else NOTHING)
            elif token.text in {"{", "do"} and after.kind == "mark" and after.text == "|":
                self._block(value)
                value = unknown(value)
            elif self._bare_call(value, token):
                value = self._bare(value)
            else:
                return value

    def _block(self, value: Value) -> None:
        """`list.each { |x| … }`, `list.each do |x|`: the names stand for the items."""
        opening = self.take().text
        self.at += 1
        item = self.one_of(value if value.owner is None else value.owner)
        while self.at < len(self.tokens) and not self.mark("|"):
            token = self.take()
            if token.kind == "name":
                self.names[token.text] = item
        if opening == "{":
            self.braces()

    def _bare_call(self, value: Value, token: Token) -> bool:
        if not value.ref or (
            value.ref not in self.language.calls and not value.ref.startswith("*.")
        ):
            return False
        if token.kind in {"text", "command", "words", "glob"}:
            return self.language.bare_calls or token.kind == "text"
        if not self.language.bare_calls or not token.spaced:
            return False
        if token.kind == "name":
            return token.text not in _NO_VALUE and token.text not in self.language.loops
        return token.kind == "number" or (token.kind == "mark" and token.text in "[\\-<*{:")

    def _bare(self, value: Value) -> Value:
        """A call without parentheses: the arguments go to the end of the statement."""
        self.target = ""
        values: list[Value] = []
        named: dict[str, Value] = {}
        self._argument(values, named)
        while self.mark(","):
            self.lines()
            self._argument(values, named)
        return self.call(value, tuple(values), named)

    def _called(self, function: Value, closing: str) -> Value:
        self.target = ""
        owner = function.owner
        self._items.append(NOTHING if owner is None else self.one_of(owner))
        values, named = self.arguments(closing)
        self._items.pop()
        return self.call(function, values, named)

    def member(self, base: Value, name: str) -> Value:
        """What stands behind a dot."""
        if base.choices:
            return either([self.member(choice, name) for choice in base.choices])
        if base.fields is not None and name in base.fields:
            return base.fields[name]
        if base.type and base.type not in {"bytes", "int", "dict"}:
            return Value(
                ref=f"{base.type}.{name}", owner=base, flags=base.flags, source=base.source
            )
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
        """What a call is worth; adds what it does."""
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

    def _by_method(self, ref: str) -> Act | None:
        return self.language.methods.get(ref.rpartition(".")[2])


def _plain(value: Value) -> Value:
    return Value(value.text, flags=value.flags, source=value.source, choices=value.choices)


_EITHER = frozenset({"||", "or", "?", ":", "??"})
_PRIMARY: dict[str, Callable[[Follow, Token], Value]] = {
    "text": Follow._text,
    "words": Follow._words,
    "glob": Follow._glob,
    "command": Follow._command,
    "number": Follow._number,
    "mark": Follow._mark,
    "name": Follow._name,
}
