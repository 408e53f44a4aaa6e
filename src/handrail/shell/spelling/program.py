"""Lists, pipes, branches, loops and functions, by the grammar of bash."""

import re
from collections.abc import Callable

from handrail.shell.spelling.commands import BRACKETS, NAME, CommandSpeller
from handrail.shell.spelling.lines import Output, finished
from handrail.shell.spelling.pieces import (
    Piece,
    Pieces,
    Spelled,
    SpellingBudget,
    flat,
    hidden,
    joined,
    same,
)

_BLANK = r"(?:[ \t]|\\\n)"
_BEFORE = {
    "!": re.compile(rf"!{_BLANK}*"),
    "time": re.compile(rf"time{_BLANK}+(?:-p{_BLANK}+)?(?:--{_BLANK}+)?"),
    "coproc": re.compile(rf"coproc{_BLANK}+(?:{NAME}{_BLANK}+(?=[{{(]))?"),
}
"""Words that stand before a command; `coproc` is a wrapper where a program follows."""
_NEGATED = re.compile(r"(?:time[ \t]+(?:-p[ \t]+)?)?!(?=[ \t\\])")
_CONDITION_END = re.compile(r"\]\](?=[ \t\n;&|<>()]|\Z)")
_IN_CONDITION = re.compile(r"&&|\|\||[()<>|]")
_GOES_ON = frozenset({"&&", "||", "(", "!"})
"""Behind which a condition goes on in the next line."""
_SPACE = re.compile(r"(?:[ \t]|\\\n)+|\n\s*(?=&&|\|\||\)|\]\])")
_ITEM_ENDS = (";;&", ";;", ";&")
_MISPLACED = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})


def respell(data: bytes, max_depth: int) -> Spelled:
    """The text in a plain spelling; raises NotShellError, or UnreadableError beyond a limit."""
    # One character for each byte, so that places are those of the bytes.
    speller = _Speller(data.decode("latin-1"), SpellingBudget(max_depth))
    plain, places = finished(speller.all_statements())
    return Spelled(plain.data.encode("latin-1"), plain.shape.encode("latin-1"), places)


class _Speller(CommandSpeller):
    def all_statements(self) -> Output:
        """Spell the whole text."""
        output = self._statements()
        if self.at < len(self.text):
            raise self.unexpected()
        self.read_documents()
        return output

    def all_commands(self) -> Piece:
        return finished(self.all_statements())[0]

    def inner(self, text: str, at: int) -> "_Speller":
        return _Speller(text, self.budget, self.place(at))

    def commands(self, closer: str) -> Piece:
        start = self.at
        outer = self.waiting, self.outer_waits
        self.waiting, self.outer_waits = [], bool(self.waiting) or self.outer_waits
        with self.budget:
            output = self._statements(closer)
        if not self.ahead(closer):
            raise self.unexpected(start, "a bracket is opened here and not closed")
        if self.waiting:
            raise self.fault(start, "its brackets are closed before the here-document inside")
        self.waiting, self.outer_waits = outer
        self.at += 1
        return finished(output)[0]

    # Lists

    def _statements(self, *ends: str) -> Output:
        """Statements up to one of these words or signs, which is left there."""
        output: Output = []
        background = False
        self.lines()
        while self.at < len(self.text) and not self._at(*ends):
            if output:
                output.append(same("\n" if background else ";\n"))
            output += self._and_or()
            self.blank()
            background = self.ahead("&") and not self.ahead("&&")
            if background:
                self.at += 1
                output.append(same(" &"))
            elif self.ahead(";") and not self._at(*_ITEM_ENDS):
                self.at += 1
            elif not (self.ahead("\n") or self.at >= len(self.text) or self._at(*ends)):
                raise self.unexpected()
            self.lines()
        return output

    def _some(self, *ends: str) -> Output:
        """At least one statement."""
        output = self._statements(*ends)
        if not output:
            raise self.unexpected()
        return output

    def _at(self, *ends: str) -> bool:
        """Whether one of these words or signs comes next."""
        bare = self.bare()
        return any(bare == end if end.isalpha() or end == "}" else self.ahead(end) for end in ends)

    def _take(self, *words: str, opened: int = -1) -> str:
        """Pass over the one of these words that must stand here."""
        word = self.bare()
        if word not in words:
            raise self.unexpected(opened, "it is not complete")
        self.at += len(word)
        return word

    def _and_or(self) -> Output:
        output = self._pipeline()
        while True:
            self.blank()
            operator = self.text[self.at : self.at + 2]
            if operator not in {"&&", "||"}:
                return output
            self.at += 2
            self.lines()
            output += [same(f" {operator} "), *self._pipeline()]

    def _pipeline(self) -> Output:
        negated = _NEGATED.match(self.text, self.at)
        output = self._command()
        while True:
            self.blank()
            if not self.ahead("|") or self.ahead("||"):
                if not negated or self.waiting:
                    return output
                # A group is a question, too: what hangs on it runs or not.
                return [same("{ "), *output, same("\n}")]
            sign = "|&" if self.ahead("|&") else "|"
            self.at += len(sign)
            self.lines()
            output += [same(f" {sign} "), *self._command()]

    # Commands

    def _command(self) -> Output:
        apart = "coproc" in self._pass_prefixes()
        self.budget.step()
        if self._opens():
            output = self._compound()
            return [same("( "), *output, same("\n)")] if apart and not self.waiting else output
        bare = self.bare()
        if bare in _MISPLACED:
            raise self.unexpected()
        brackets = BRACKETS.match(self.text, self.at + len(bare)) if bare else None
        if brackets and not bare.endswith("="):
            self.at = brackets.end()
            return self._definition(bare)
        return self.simple()

    def _pass_prefixes(self) -> list[str]:
        """Pass over words before a command, where they are not programs themselves."""
        passed: list[str] = []
        while self.bare() in _BEFORE:
            start = self.at
            word = self.bare()
            before = _BEFORE[word].match(self.text, start)
            self.at = before.end() if before else len(self.text)
            program = (
                self.at >= len(self.text)
                or self.text[self.at] in "\n;"
                # For shells in which it is one, it has options.
                or (word == "time" and self.ahead("-"))
                or (word == "coproc" and not self._opens())
            )
            if program:
                self.at = start
                break
            passed.append(word)
        return passed

    def _opens(self) -> bool:
        """Whether a command with others inside begins here."""
        return self.ahead("(") or self.bare() in _COMPOUND

    def _compound(self) -> Output:
        """A command with others inside, and its redirects."""
        with self.budget:
            output = self._subshell() if self.ahead("(") else _COMPOUND[self.bare()](self)
        self.blank()
        while redirect := self.redirect():
            output += [same(" "), *redirect]
            self.blank()
        return output

    def _subshell(self) -> Output:
        start = self.at
        if self.ahead("(("):
            total = self.arithmetic(2)
            if total is not None:
                return [Piece("(( ", "[[ "), *(total or [hidden("0")]), Piece(" ))", " ]]")]
        self.at += 1
        output = self._some(")")
        if not self.ahead(")"):
            raise self.unexpected(start, "a bracket is opened here and not closed")
        self.at += 1
        return [same("( "), *output, same("\n)")]

    def _group(self) -> Output:
        start = self.at
        self.at += 1
        output = self._some("}")
        self._take("}", opened=start)
        return [same("{ "), *output, same("\n}")]

    def _condition(self) -> Output:
        """`[[ … ]]`: nothing in it runs but what stands in `$( )`."""
        start = self.at
        self.at += 2
        self.lines()
        pieces: Pieces = [hidden(" ")]
        while True:
            space = _SPACE.match(self.text, self.at)
            if space:
                pieces.append(hidden(" "))
                self.at = space.end()
            if _CONDITION_END.match(self.text, self.at):
                break
            part = self.word()
            if not part:
                sign = _IN_CONDITION.match(self.text, self.at)
                if not sign:
                    raise self.unexpected(start, "`[[` is opened here and not closed")
                part = [hidden(sign[0])]
                self.at = sign.end()
            if part[0].data in _GOES_ON:
                self.lines()
            pieces += flat(part)
        self.at += 2
        return [same("[[ "), *pieces, same(" ]]")]

    def _if(self) -> Output:
        start = self.at
        output: Output = [same("if ")]
        self.at += 2
        word = "if"
        while word != "fi":
            if word != "else":
                output += [*self._some("then"), same("\nthen\n")]
                self._take("then", opened=start)
            ends = ("fi",) if word == "else" else ("elif", "else", "fi")
            output += self._some(*ends)
            word = self._take(*ends, opened=start)
            output.append(same(f"\n{word} "))
        return output

    def _while(self) -> Output:
        start = self.at
        word = self._take("while", "until")
        return [same(f"{word} "), *self._some("do"), same("\n"), *self._loop_body(start)]

    def _loop_body(self, start: int) -> Output:
        begin, end = ("{", "}") if self.bare() == "{" else ("do", "done")
        self._take(begin, opened=start)
        output = self._some(end)
        self._take(end, opened=start)
        return [same("do\n"), *output, same("\ndone")]

    def _for(self) -> Output:
        start = self.at
        asks = self._take("for", "select") == "select"
        self.blank()
        if self.ahead("(("):
            return self._counting(start)
        name = self.bare()
        if not re.fullmatch(NAME, name):
            raise self.unexpected()
        self.at += len(name)
        self.lines()
        words: Output = [same(' "$@"')]
        if self.bare() == "in":
            self.at += 2
            words = self._words() or [same(" $(:)")]
            if not (self.ahead(";") or self.ahead("\n")):
                raise self.unexpected()
        if self.ahead(";"):
            self.at += 1
        self.lines()
        begin, *body = self._loop_body(start)
        answer = [same("IFS= read -r REPLY;\n")] if asks else []
        return [same(f"for {name} in"), *words, same("\n"), begin, *answer, *body]

    def _words(self) -> Output:
        output: Output = []
        self.blank()
        while word := self.word():
            output += [same(" "), *word]
            self.blank()
        return output

    def _counting(self, start: int) -> Output:
        """`for ((a; b; c))`."""
        total = self.arithmetic(2, counts=True)
        if total is None or any(piece.runs for piece in total):
            raise self.unexpected()
        text = joined(total).data
        self.blank()
        if self.ahead(";"):
            self.at += 1
        self.lines()
        head = Piece(text, re.sub(r"[^;]", "x", text))
        return [same("for (("), head, same("))\n"), *self._loop_body(start)]

    def _case(self) -> Output:
        start = self.at
        self.at += 4
        self.blank()
        word = self.word()
        self.lines()
        self._take("in", opened=start)
        output: Output = [same("case "), *word, same(" in\n")]
        self.lines()
        while self.bare() != "esac":
            output += self._item(start)
            self.lines()
        self.at += 4
        return [*output, same("esac")]

    def _item(self, start: int) -> Output:
        """`(a|b) …;;`."""
        if self.ahead("("):
            self.at += 1
        output: Output = []
        while not output or self.ahead("|"):
            if output:
                self.at += 1
                output.append(same("|"))
            self.blank()
            pattern = self.word()
            if not pattern:
                raise self.unexpected(start, "it is not complete")
            output += pattern
            self.blank()
        if not self.ahead(")"):
            raise self.unexpected(start, "it is not complete")
        self.at += 1
        output += [same(")\n"), *self._statements(*_ITEM_ENDS, "esac")]
        end = next((end for end in _ITEM_ENDS if self.ahead(end)), "")
        self.at += len(end)
        return [*output, same(f"\n{end or ';;'}\n")]

    def _function(self) -> Output:
        self.at += len("function")
        self.blank()
        name = self.bare()
        if not name:
            raise self.unexpected()
        self.at += len(name)
        brackets = BRACKETS.match(self.text, self.at)
        if brackets:
            self.at = brackets.end()
        return self._definition(name)

    def _definition(self, name: str) -> Output:
        self.lines()
        if not self._opens():
            raise self.unexpected()
        head = Piece(name, "x" * len(name))
        return [head, same("() {\n"), *self._compound(), same("\n}")]


_COMPOUND: dict[str, Callable[[_Speller], Output]] = {
    "{": _Speller._group,
    "[[": _Speller._condition,
    "if": _Speller._if,
    "while": _Speller._while,
    "until": _Speller._while,
    "for": _Speller._for,
    "select": _Speller._for,
    "case": _Speller._case,
    "function": _Speller._function,
}
