"""Walk through code of a script language: evaluate its expressions and look up its calls.

One small walker serves all script languages. It knows no grammar: it reads value by value, joins
values at operators, remembers assignments, and looks up calls in a table.
"""

from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.language import Language
from handrail.shell.inline.scan import Token
from handrail.shell.inline.script_values import CLOSE, ScriptValues
from handrail.shell.inline.time_limit import check_time
from handrail.shell.inline.value import (
    NOTHING,
    Value,
    as_text,
    concatenate,
    either,
    integer,
    list_of,
    unknown,
)

MAX_STEPS = 100_000
MAX_DEPTH = 60
_ASSIGN = frozenset({"=", "+=", ".=", ":=", "<-", "<<-", "..=", "||="})
_EITHER = frozenset({"||", "or", "?", ":", "??"})
_OPEN = frozenset({"(", "[", "{"})


class CodeWalk(ScriptValues):
    """One walk over the tokens of a piece of code."""

    def __init__(self, language: Language, found: EffectCollector) -> None:
        super().__init__(language, found)
        self._steps = 0
        self._depth = 0

    def read(self, code: str) -> None:
        """Walk through code, and through the code that it runs."""
        self.walk(self.language.scanner.scan(code))

    def walk(self, tokens: list[Token]) -> Value:
        """Walk through tokens; return the value of the last statement."""
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
        check_time(self._steps)
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
            elif token.kind != "mark" or token.text in CLOSE or token.text in _OPEN:
                break
            elif token.text in _ASSIGN and target:
                self.at += 1
                value = self._assign(token.text, target, value)
            elif token.text in self.language.joins:
                self.at += 1
                self.skip_line_ends()
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
        self.skip_line_ends()
        right = self.expression()
        if operator in {"+=", ".=", "..="}:
            right = self._join(value, right)
        # In a block it may or may not happen.
        self.names[target] = either([value, right]) if self.blocks and value.exact else right
        return right

    def _join(self, left: Value, right: Value) -> Value:
        if left.number is not None and right.number is not None:
            return integer(left.number + right.number)
        if left.items is not None and right.items is not None:
            return list_of([*left.items, *right.items])
        return concatenate([as_text(left), as_text(right)])
