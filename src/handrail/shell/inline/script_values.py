"""Reads the values in code of a script language: texts, lists, names, and calls on them."""

from abc import abstractmethod
from collections.abc import Callable

from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import Args
from handrail.shell.inline.language import Language
from handrail.shell.inline.resolve import Resolver
from handrail.shell.inline.scan import Token
from handrail.shell.inline.value import (
    GLOB,
    NOTHING,
    REMOTE,
    Value,
    as_text,
    concatenate,
    flags_of,
    integer,
    list_of,
    text,
    unknown,
)

CLOSE = frozenset({")", "]", "}", ",", ";"})
_NO_VALUE = frozenset({"if", "unless", "while", "until", "for", "and", "or", "do", "then"})


class ScriptValues(Resolver):
    """Reads single values; a subclass reads the operators between them."""

    def __init__(self, language: Language, found: EffectCollector) -> None:
        super().__init__(language, found)
        self.target = ""
        """The variable that holds the value read last, if any."""
        self.blocks = 0
        """Depth of nested blocks."""
        self.items: list[Value] = []
        """Arguments that callbacks receive, innermost call last."""

    @abstractmethod
    def expression(self) -> Value:
        """Read values and the operators between them."""

    @abstractmethod
    def statement(self) -> Value:
        """Read one statement."""

    @abstractmethod
    def walk(self, tokens: list[Token]) -> Value:
        """Walk through tokens; return the value of the last statement."""

    def primary(self) -> Value:
        """Read one value with the calls on it."""
        self.target = ""
        token = self.peek()
        while token.kind == "name" and token.text in self.language.skipped:
            self.at += 1
            token = self.peek()
        reader = _PRIMARY.get(token.kind)
        if reader is None or (token.kind == "mark" and token.text in CLOSE):
            return NOTHING
        self.at += 1
        return self._chain(reader(self, token))

    def _text(self, token: Token) -> Value:
        if not token.parts:
            return text(token.text)
        return concatenate(
            [text(p) if isinstance(p, str) else as_text(self.walk(list(p))) for p in token.parts]
        )

    def _words(self, token: Token) -> Value:
        return list_of([text(word) for word in token.text.split()])

    def _glob(self, token: Token) -> Value:
        value = self._text(token)
        return list_of([Value(value.text, flags=value.flags | GLOB)])

    def _command(self, token: Token) -> Value:
        self.found.script(self._text(token))
        return Value(type="process")

    def _number(self, token: Token) -> Value:
        digits = token.text.replace("_", "")
        octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
        try:
            return integer(int(digits, 8 if octal else 0))
        except ValueError:
            return NOTHING

    def _mark(self, token: Token) -> Value:
        if token.text == "(":
            items = self.arguments(")")[0]
            return items[0] if len(items) == 1 else list_of(items)
        if token.text == "[":
            return list_of(self.arguments("]")[0])
        if token.text == "{":
            return self.braces()
        value = self.primary()
        if token.text == "-" and value.number is not None:
            return integer(-value.number)
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
        self.blocks += 1
        while self.at < len(self.tokens):
            self.skip_line_ends()
            if self.accept("}"):
                break
            before = self.at
            name = self._field()
            if name:
                fields[name] = self.expression()
            elif not self.statement_ends():
                value = self.statement()
            if self.accept(","):
                items.append(value)
            self.accept(";")
            if self.at == before:
                self.at += 1
        self.blocks -= 1
        if items and not fields:
            return list_of([*items, value])
        if fields:
            return Value(type="dict", fields=fields, flags=flags_of(fields.values()))
        return value

    def _field(self) -> str:
        """Return the name in `name: value`, `name => value` or `name = value`, if there is one."""
        token, after = self.peek(), self.peek(1)
        named = token.kind in {"name", "text"} and not token.parts and after.kind == "mark"
        if not named or after.text not in {":", "=>"}:
            return ""
        self.at += 2
        return token.text

    def arguments(self, closing: str) -> tuple[Args, dict[str, Value]]:
        """Read values up to a closing mark; return named ones separately."""
        values: list[Value] = []
        named: dict[str, Value] = {}
        while self.at < len(self.tokens):
            self.skip_line_ends()
            if self.accept(closing):
                break
            before = self.at
            self._argument(values, named)
            self.accept(",", ";")
            if self.at == before:
                self.at += 1
        return tuple(values), named

    def _argument(self, values: list[Value], named: dict[str, Value]) -> None:
        token, after = self.peek(), self.peek(1)
        if (
            token.kind == "name"
            and after.kind == "mark"
            and after.text == "=>"
            and self.language.arrows
        ):
            # A function that is handed over: `x => f(x)`.
            self.names[token.text] = self.items[-1] if self.items else NOTHING
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

    def _chain(self, value: Value) -> Value:
        """Read the chain behind a value: `.name`, `(…)`, `[…]`, a block."""
        while True:
            token, after = self.peek(), self.peek(1)
            if self._empty_call(value, token):
                value = self.call(value, (), {})
            elif token.kind == "mark" and token.text in self.language.dots and after.kind == "name":
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
        opening = self.advance().text
        self.at += 1
        item = self.one_of(value if value.owner is None else value.owner)
        while self.at < len(self.tokens) and not self.accept("|"):
            token = self.advance()
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

    def _empty_call(self, value: Value, token: Token) -> bool:
        """`LWP::UserAgent->new->get(…)`, `path.delete`: a call without arguments."""
        if not self.language.bare_calls or value.ref not in self.language.calls:
            return False
        ends = token.kind in {"line", "end"} or token.text in {";", "}", ")"}
        if token.text not in self.language.dots:
            return ends and value.owner is not None
        return f"{value.ref}.{self.peek(1).text}" not in self.language.calls

    def _bare(self, value: Value) -> Value:
        """A call without parentheses: the arguments go to the end of the statement."""
        self.target = ""
        values: list[Value] = []
        named: dict[str, Value] = {}
        self._argument(values, named)
        while self.accept(","):
            self.skip_line_ends()
            self._argument(values, named)
        return self.call(value, tuple(values), named)

    def _called(self, function: Value, closing: str) -> Value:
        self.target = ""
        owner = function.owner
        item = NOTHING if owner is None else self.one_of(owner)
        if function.ref.partition(".")[0] in self.language.remote:
            item = Value(flags=REMOTE)
        self.items.append(item)
        values, named = self.arguments(closing)
        self.items.pop()
        return self.call(function, values, named)


_PRIMARY: dict[str, Callable[[ScriptValues, Token], Value]] = {
    "text": ScriptValues._text,
    "words": ScriptValues._words,
    "glob": ScriptValues._glob,
    "command": ScriptValues._command,
    "number": ScriptValues._number,
    "mark": ScriptValues._mark,
    "name": ScriptValues._name,
}
