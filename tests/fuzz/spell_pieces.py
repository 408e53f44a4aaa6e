"""Ways to spell a piece of a word in bash: by quotes, variables, expansions, arrays, input.

Each way takes the text that the piece must become, and gives the statements that must run before,
and the spelling. What it really becomes, bash says.
"""

import random
import re
import shlex
from collections.abc import Callable
from typing import NamedTuple


class Spelling(NamedTuple):
    """A piece of a word, and what must be said before it."""

    before: str
    text: str


class Speller:
    """Chance, and names that are not taken yet."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self._names = 0

    def name(self) -> str:
        """A new name for a variable."""
        self._names += 1
        return self.chance.choice("abcdxyz") + str(self._names)

    def quoted(self, text: str) -> str:
        """The text, quoted in some plain way."""
        way = self.chance.randrange(4)
        if way == 0 and re.fullmatch(r"[\w./-]+", text):
            return text
        if way == 1 and not re.search(r'["$`\\!]', text):
            return f'"{text}"'
        return shlex.quote(text) if way != 2 else f"'{text}'"

    def maybe_quoted(self, expansion: str) -> str:
        """An expansion, in double quotes or not."""
        return f'"{expansion}"' if self.chance.random() < 0.5 else expansion

    def junk(self) -> str:
        """Letters that stand in none of the commands."""
        return self.chance.choice(("QZ", "ZZ", "JKJ", "Q_Q"))

    def one_of(self, *ways: Callable[[], Spelling]) -> Spelling:
        """One of these spellings."""
        return self.chance.choice(ways)()


Way = Callable[[Speller, str], Spelling]


def _plain(s: Speller, text: str) -> Spelling:
    return Spelling("", text if re.fullmatch(r"[\w./@:-]+", text) else shlex.quote(text))


def _quotes(s: Speller, text: str) -> Spelling:
    cut = s.chance.randrange(len(text) + 1)
    return Spelling("", f"'{text[:cut]}'" + f'"{text[cut:]}"')


def _escapes(s: Speller, text: str) -> Spelling:
    return Spelling(
        "", "".join(f"\\{c}" if s.chance.random() < 0.5 or c == " " else c for c in text)
    )


def _ansi_c(s: Speller, text: str) -> Spelling:
    ways = (lambda c: f"\\x{ord(c):02x}", lambda c: f"\\{ord(c):03o}", lambda c: c,
            lambda c: f"\\u{ord(c):04x}", lambda c: f"\\U{ord(c):08x}")  # fmt: skip
    return Spelling("", "$'" + "".join(s.chance.choice(ways)(c) for c in text) + "'")


def _line_join(s: Speller, text: str) -> Spelling:
    cut = s.chance.randrange(1, len(text)) if len(text) > 1 else 0
    return Spelling("", f"{text[:cut]}\\\n{text[cut:]}" if " " not in text else f'"{text}"')


def _variable(s: Speller, text: str) -> Spelling:
    x, y = s.name(), s.name()
    use = s.maybe_quoted(s.chance.choice((f"${x}", f"${{{x}}}"))) if x else ""
    use = use if use.startswith('"') or use.endswith("}") else f"${{{x}}}"
    before = s.chance.choice((
        f"{x}={s.quoted(text)}", f"{y}={s.quoted(text)}; {x}=${y}",
        f"{x}={s.quoted(text[:1])}; {x}+={s.quoted(text[1:])}",
        f"{y}={s.quoted(text[:1])}; {x}=${{{y}}}{s.quoted(text[1:])}",
        f"{y}={s.quoted(text[1:])} {x}={s.quoted(text[:1])}${y}",
    ))  # fmt: skip
    return Spelling(before, use)


def _default(s: Speller, text: str) -> Spelling:
    x, u, v = s.name(), s.name(), s.name()
    value = s.quoted(text)
    return s.one_of(
        lambda: Spelling("", s.maybe_quoted(f"${{{u}:-{text}}}")),
        lambda: Spelling("", f"${{{u}-{value}}}"),
        lambda: Spelling("", f"${{{u}:-${{{v}:-{value}}}}}"),
        lambda: Spelling(f"{x}=", f"${{{x}:-{value}}}"),
        lambda: Spelling(f"{x}={value}", s.maybe_quoted(f"${{{u}:-${x}}}")),
        lambda: Spelling(f"{x}={s.quoted(text[:1])}", f"${{{u}:-${{{x}}}{s.quoted(text[1:])}}}"),
        lambda: Spelling(f"{x}=1", f"${{{x}:+{value}}}"),
        lambda: Spelling(f"{x}=", f"${{{x}+{value}}}${{{x}:+no}}"),
        lambda: Spelling(f": ${{{u}:={value}}}", s.maybe_quoted(f"${{{u}}}")),
        lambda: Spelling(f"{x}={value}", f"${{{x}:?gone}}"),
        lambda: Spelling(f"{x}={value}", f"${{{x}:-no}}"),
    )


def _trim(s: Speller, text: str) -> Spelling:
    x, j = s.name(), s.junk()
    return s.one_of(
        lambda: Spelling(f"{x}={s.quoted(text + j)}", f"${{{x}%{j}}}"),
        lambda: Spelling(f"{x}={s.quoted(text + j + j)}", s.maybe_quoted(f"${{{x}%%{j}*}}")),
        lambda: Spelling(f"{x}={s.quoted(j + text)}", f"${{{x}#{j}}}"),
        lambda: Spelling(f"{x}={s.quoted(j + text)}", f"${{{x}#{j[:-1]}?}}"),
        lambda: Spelling(f"{x}={s.quoted(j + '=' + text)}", s.maybe_quoted(f"${{{x}#*=}}")),
        lambda: Spelling(f"{x}={s.quoted(j + '=b=' + text)}", f"${{{x}##*=}}"),
        lambda: Spelling(f"{x}={s.quoted(text + '=b=c')}", f"${{{x}%%=*}}"),
        lambda: Spelling(f"{x}={s.quoted(text + '=b')}", f"${{{x}%=*}}"),
        lambda: Spelling(f"{x}={s.quoted(text + '7')}", f"${{{x}%[0-9]}}"),
        lambda: Spelling(f"j={j}; {x}={s.quoted(text + j)}", f'"${{{x}%"$j"}}"'),
        lambda: Spelling(f"j={j}; {x}={s.quoted(j + text)}", f"${{{x}#$j}}"),
    )


def _replace(s: Speller, text: str) -> Spelling:
    x, j = s.name(), s.junk()
    letter = text[s.chance.randrange(len(text))]
    every, first = text.replace(letter, j), text.replace(letter, j, 1)
    slash = letter == "/"
    to = "\\/" if slash else letter
    return s.one_of(
        lambda: Spelling(f"{x}={s.quoted(first)}", s.maybe_quoted(f"${{{x}/{j}/{to}}}")),
        lambda: Spelling(f"{x}={s.quoted(every)}", f"${{{x}//{j}/{to}}}"),
        lambda: Spelling(f"{x}={s.quoted(j + text)}", f"${{{x}/#{j}/}}"),
        lambda: Spelling(f"{x}={s.quoted(text + j)}", f"${{{x}/%{j}/}}"),
        lambda: Spelling(f"{x}={s.quoted(text + j)}", f"${{{x}/{j}}}"),
        lambda: Spelling(f"{x}={s.quoted(every)}; y={s.quoted(letter)}", f"${{{x}//{j}/$y}}"),
        lambda: Spelling(f"{x}={s.quoted(every)}; y={s.quoted(letter)}", f'"${{{x}//"{j}"/"$y"}}"'),
        lambda: Spelling(f"{x}={s.quoted('#' + text)}", f"${{{x}/[#]/}}"),
        lambda: Spelling(f"{x}={s.quoted(j + text)}", f"${{{x}/{j[0]}*{j[-1]}/}}"),
    )


def _letter_case(s: Speller, text: str) -> Spelling:
    x = s.name()
    if text != text.lower():
        return _variable(s, text)
    up = text.upper()
    return s.one_of(
        lambda: Spelling(f"{x}={s.quoted(up)}", s.maybe_quoted(f"${{{x},,}}")),
        lambda: Spelling(f"{x}={s.quoted(up)}", f"${{{x}@L}}"),
        lambda: Spelling(f"{x}={s.quoted(text[0].upper() + text[1:])}", f"${{{x},}}"),
        lambda: Spelling(f"{x}={s.quoted(up)}", f"${{{x}~~}}"),
        lambda: Spelling(f"{x}={s.quoted(up)}", f"${{{x},,[A-Z]}}"),
        lambda: Spelling(f"declare -l {x}={s.quoted(up)}", f"${{{x}}}"),
        lambda: Spelling(f"declare -l {x}; {x}={s.quoted(up)}", s.maybe_quoted(f"${x}")),
    )


def _transform(s: Speller, text: str) -> Spelling:
    x = s.name()
    coded = "".join(f"\\x{ord(c):02x}" for c in text)
    return s.one_of(
        lambda: Spelling(f"{x}='{coded}'", f"${{{x}@E}}"),
        lambda: Spelling(f"{x}={s.quoted(text)}", f"${{{x}@P}}"),
        lambda: Spelling(f"{x}={s.quoted(text)}; eval y=${{{x}@Q}}", '"$y"'),
        lambda: Spelling(f"{x}={s.quoted(text)}; y=${{{x}@A}}; unset {x}; eval $y", f'"${x}"'),
        lambda: Spelling(f"{x}={s.quoted(text)}", f"${{{x}@a}}${{{x}}}"),
    )


def _slice(s: Speller, text: str) -> Spelling:
    x, j, n = s.name(), s.junk(), len(text)
    k = len(j)
    return s.one_of(
        lambda: Spelling(f"{x}={s.quoted(j + text + j)}", s.maybe_quoted(f"${{{x}:{k}:{n}}}")),
        lambda: Spelling(f"{x}={s.quoted(j + text)}", f"${{{x}:{k}}}"),
        lambda: Spelling(f"{x}={s.quoted(j + text)}", f"${{{x}: -{n}}}"),
        lambda: Spelling(f"{x}={s.quoted(j + text + j)}", f"${{{x}:{k}:-{k}}}"),
        lambda: Spelling(f"{x}={s.quoted(j + text)}; k={k}", f"${{{x}:k}}"),
        lambda: Spelling(f"{x}={s.quoted(j + text + j)}; k={k}", f"${{{x}:$k:{n}}}"),
        lambda: Spelling(f"{x}={s.quoted(j + text + j)}", f"${{{x}:{k - 1}+1:{n}}}"),
        lambda: Spelling(f"{x}={s.quoted(j + text)}", f"${{{x}:(-{n})}}"),
        lambda: Spelling(f"set -- {j} {s.quoted(text)} {j}", '"${@:2:1}"'),
    )


def _indirect(s: Speller, text: str) -> Spelling:
    x, y = s.name(), s.name()
    value = s.quoted(text)
    return s.one_of(
        lambda: Spelling(f"{x}={value}; {y}={x}", s.maybe_quoted(f"${{!{y}}}")),
        lambda: Spelling(f"declare -n {y}={x}; {x}={value}", f"${{{y}}}"),
        lambda: Spelling(f"declare -n {y}={x}; {y}={value}", f'"${x}"'),
        lambda: Spelling(f"{x}=({s.junk()} {value}); {y}={x}[1]", f'"${{!{y}}}"'),
        lambda: Spelling(f"f() {{ local -n r=$1; r={value}; }}; f {x}", f'"${x}"'),
        lambda: Spelling(f"set -- {s.junk()} {value}; {y}=2", f"${{!{y}}}"),
        lambda: Spelling(f"set -- {s.junk()} {value}", "${!#}"),
    )


def _array(s: Speller, text: str) -> Spelling:
    x, j = s.name(), s.junk()
    value = s.quoted(text)
    return s.one_of(
        lambda: Spelling(f"{x}=({value} {j})", s.maybe_quoted(f"${{{x}[0]}}")),
        lambda: Spelling(f"{x}=({value} {j})", f'"${x}"'),
        lambda: Spelling(f"{x}=({j} {value})", s.maybe_quoted(f"${{{x}[1]}}")),
        lambda: Spelling(f"{x}=({j} {value})", f"${{{x}[-1]}}"),
        lambda: Spelling(f"{x}=({j} {value}); i=1", f'"${{{x}[i]}}"'),
        lambda: Spelling(f"{x}=({j} {value}); i=0", f'"${{{x}[$i+1]}}"'),
        lambda: Spelling(f"{x}=({j} {value} {j})", f'"${{{x}[@]:1:1}}"'),
        lambda: Spelling(f"{x}=({value})", f'"${{{x}[*]}}"'),
        lambda: Spelling(f"{x}=({value})", f'"${{{x}[@]}}"'),
        lambda: Spelling(f"{x}[2]={value}; {x}[0]={j}", f"${{{x}[2]}}"),
        lambda: Spelling(f"{x}=({j}); {x}+=({value})", f"${{{x}[1]}}"),
        lambda: Spelling(f"{x}=([3]={value} [1]={j})", f"${{{x}[3]}}"),
        lambda: Spelling(f"{x}=([3]={value} [1]={j})", f'"${{{x}[@]:2}}"'),
        lambda: Spelling(f"declare -A {x}=([k]={value} [m]={j})", f"${{{x}[k]}}"),
        lambda: Spelling(f"declare -A {x}; {x}[k]={value}; q=k", f'"${{{x}[$q]}}"'),
        lambda: Spelling(f"{x}=({j} {value}); {x}[0]=; unset '{x}[0]'", f'"${{{x}[@]}}"'),
        lambda: Spelling(f"{x}=({j} {j}); {x}[1]={value}", f'"${{{x}[1]}}"'),
        lambda: Spelling(f"{x}=({s.quoted(text + j)} {j})", f'"${{{x}[@]%{j}}}"'),
    )


def _printf(s: Speller, text: str) -> Spelling:
    x = s.name()
    coded = "".join(f"\\x{ord(c):02x}" for c in text)
    return s.one_of(
        lambda: Spelling(f"printf -v {x} %s {s.quoted(text)}", s.maybe_quoted(f"${{{x}}}")),
        lambda: Spelling(f"printf -v {x} '{coded}'", f"${{{x}}}"),
        lambda: Spelling(f"printf -v {x} %b '{coded}'", f"${{{x}}}"),
        lambda: Spelling(
            f"printf -v {x} '%s%s' {s.quoted(text[:1])} {s.quoted(text[1:])}", f"${{{x}}}"
        ),
        lambda: Spelling(f"printf -v '{x}[1]' %s {s.quoted(text)}", f"${{{x}[1]}}"),
        lambda: Spelling(f"printf -v {x} %q {s.quoted(text)}; eval {x}=${x}", f'"${x}"'),
        lambda: Spelling(f"printf -v {x} '%.{len(text)}s' {s.quoted(text + 'ZZ')}", f'"${x}"'),
        lambda: Spelling(f"printf -v {x} '%{len(text)}s' {s.quoted(text)}", f'"${x}"'),
        lambda: Spelling(
            f"printf -v {x} '%s' {s.quoted(text[:1])} {s.quoted(text[1:])}", f'"${x}"'
        ),
    )


def _read(s: Speller, text: str) -> Spelling:
    x, y, j = s.name(), s.name(), s.junk()
    value = s.quoted(text)
    use = s.maybe_quoted(f"${{{x}}}")
    return s.one_of(
        lambda: Spelling(f"read -r {x} <<< {value}", use),
        lambda: Spelling(f"read {x} {y} <<< '{text} {j}'", use),
        lambda: Spelling(f"read {y} {x} <<< '{j} {text}'", use),
        lambda: Spelling(f"IFS== read {y} {x} <<< '{j}={text}'", use),
        lambda: Spelling(f"IFS== read -r {x} {y} <<< '{text}={j}={j}'", use),
        lambda: Spelling(f"read -a {x} <<< '{j} {text}'", f"${{{x}[1]}}"),
        lambda: Spelling(f"read -r {x} < <(echo {value})", use),
        lambda: Spelling(f"read -r {x} <<E\n{text}\nE", use),
        lambda: Spelling(f"{{ read {y}; read -r {x}; }} <<E\n{j}\n{text}\nE", use),
        lambda: Spelling(f"read <<< {value}", '"$REPLY"'),
        lambda: Spelling(f"read -d = {x} <<< '{text}='", use),
        lambda: Spelling(f"read -n {len(text)} {x} <<< {s.quoted(text + j)}", use),
        lambda: Spelling(f"mapfile -t {x} <<< {value}", f"${{{x}[0]}}"),
        lambda: Spelling(f"mapfile -t {x} < <(printf '%s\\n' {j} {value})", f"${{{x}[1]}}"),
        lambda: Spelling(f"readarray -t -s 1 {x} <<< $'{j}\\n{text}'", f"${{{x}}}"),
        lambda: Spelling(f"mapfile -d = -t {x} <<< '{text}={j}='", f"${{{x}[0]}}"),
    )


def _substitution(s: Speller, text: str) -> Spelling:
    x = s.name()
    value = s.quoted(text)
    return s.one_of(
        lambda: Spelling("", s.maybe_quoted(f"$(echo {value})")),
        lambda: Spelling("", s.maybe_quoted(f"$(printf %s {value})")),
        lambda: Spelling("", f"`echo {value}`"),
        lambda: Spelling(f"{x}={value}", f"$(echo ${x})"),
        lambda: Spelling(f"{x}=$(echo {value})", f'"${x}"'),
        lambda: Spelling("", f"$(cat <<< {value})"),
        lambda: Spelling("", f"$(cat <<'E'\n{text}\nE\n)"),
        lambda: Spelling("", f"$(echo {s.quoted(text[::-1])} | rev)"),
        lambda: Spelling(
            "", f"$(echo {value} | tr A-Z a-z)" if text.islower() else f"$(echo {value})"
        ),
        lambda: Spelling(f"echo {value} > t", "$(<t)"),
        lambda: Spelling(f"echo {value} > t", '"$(cat t)"'),
        lambda: Spelling(f"f() {{ echo {value}; }}", "$(f)"),
        lambda: Spelling("f() { echo $1; }", f"$(f {value})"),
        lambda: Spelling("", f"$(echo -n {value})"),
        lambda: Spelling("", f"$(if true; then echo {value}; fi)"),
        lambda: Spelling("", f"$(for i in {value}; do echo $i; done)"),
        lambda: Spelling("", f"$(false || echo {value})"),
        lambda: Spelling("", f"$(true && echo {value})"),
        lambda: Spelling("", f"$(echo {s.junk()} >&2; echo {value})"),
        lambda: Spelling("", f"$({{ echo {value}; }})"),
        lambda: Spelling("", f"$( (echo {value}) )"),
    )


def _positional(s: Speller, text: str) -> Spelling:
    j = s.junk()
    value = s.quoted(text)
    return s.one_of(
        lambda: Spelling(f"set -- {value} {j}", s.maybe_quoted("${1}")),
        lambda: Spelling(f"set -- {j} {value}", s.maybe_quoted("${2}")),
        lambda: Spelling(f"set -- {j} {value}; shift", '"$1"'),
        lambda: Spelling(f"set -- {j} {j} {value}; shift 2", '"$1"'),
        lambda: Spelling(f"set -- {value}", '"$@"'),
        lambda: Spelling(f"set -- {value}", '"$*"'),
        # An option such as `-r` would make this a restricted shell.
        lambda: Spelling(f"set {'--' * text.startswith('-')} {value}", '"$1"'),
        lambda: Spelling(f"set - {value}", '"$1"'),
        lambda: Spelling("set -- 1 2 3 4 5 6 7 8 9 " + value, '"${10}"'),
        lambda: Spelling(f"set -- {j} {value}", '"${@: -1}"'),
        lambda: Spelling(f'set -- {value}; set -- "$@" {j}', '"${1}"'),
    )


def _declared(s: Speller, text: str) -> Spelling:
    x = s.name()
    value = s.quoted(text)
    word = s.chance.choice(("export", "declare", "typeset", "readonly", "declare -x", "declare -r",
                            "declare -g", "export -n", "let y=1; declare"))  # fmt: skip
    return s.one_of(
        lambda: Spelling(f"{word} {x}={value}", s.maybe_quoted(f"${{{x}}}")),
        lambda: Spelling(f"{word} '{x}={text}'", f"${{{x}}}"),
        lambda: Spelling(f"{x}={value}; export {x}", f"${{{x}}}"),
        lambda: Spelling(f"f() {{ {x}={value}; }}; f", f"${{{x}}}"),
        lambda: Spelling(f"{x}={value}; f() {{ local {x}=no; }}; f", f"${{{x}}}"),
        lambda: Spelling(f"f() {{ declare -g {x}={value}; }}; f", f"${{{x}}}"),
        lambda: Spelling(f"{x}={value}; ( {x}=no )", f"${{{x}}}"),
        lambda: Spelling(f"{x}={value}; echo | {x}=no", f"${{{x}}}"),
        lambda: Spelling(f"{x}={value}; {x}=no true", f"${{{x}}}"),
        lambda: Spelling(f"{x}=no; unset {x}; {x}={value}", f"${{{x}}}"),
    )


def _assigned_in(s: Speller, text: str) -> Spelling:
    x, j = s.name(), s.junk()
    value = s.quoted(text)
    return s.one_of(
        lambda: Spelling(f"if true; then {x}={value}; else {x}={j}; fi", f"${{{x}}}"),
        lambda: Spelling(f"{x}={j}; if false; then :; else {x}={value}; fi", f"${{{x}}}"),
        lambda: Spelling(f"case a in a) {x}={value};; *) {x}={j};; esac", f"${{{x}}}"),
        lambda: Spelling(f"for {x} in {j} {value}; do :; done", f"${{{x}}}"),
        lambda: Spelling(f"for i in 1 2; do {x}={value}; done", f"${{{x}}}"),
        lambda: Spelling(f"while true; do {x}={value}; break; done", f"${{{x}}}"),
        lambda: Spelling(f"until {x}={value}; do :; done", f"${{{x}}}"),
        lambda: Spelling(f"{x}={j}; true && {x}={value}", f"${{{x}}}"),
        lambda: Spelling(f"{x}={j}; false || {x}={value}", f"${{{x}}}"),
        lambda: Spelling(f"{x}={value}; false && {x}={j}", f"${{{x}}}"),
        lambda: Spelling(f"{{ {x}={value}; }}", f"${{{x}}}"),
        lambda: Spelling(f"eval '{x}={text}'" if " " not in text else f"{x}={value}", f"${{{x}}}"),
        lambda: Spelling(f"[[ abc =~ b ]] && {x}={value}", f"${{{x}}}"),
        lambda: Spelling(f"[[ {s.quoted(text)} =~ .+ ]]", '"${BASH_REMATCH[0]}"'),
        lambda: Spelling(f"shopt -s lastpipe; echo {value} | read {x}", f'"${x}"'),
        lambda: Spelling(f"(( i = 1 )); {x}[i]={value}", f"${{{x}[1]}}"),
        lambda: Spelling(f"for ((i=0; i<2; i++)); do {x}={value}; done", f"${{{x}}}"),
    )


PIECES: dict[str, Way] = {
    "plain": _plain,
    "quotes": _quotes,
    "escapes": _escapes,
    "ansi-c": _ansi_c,
    "line join": _line_join,
    "variable": _variable,
    "default": _default,
    "trim": _trim,
    "replace": _replace,
    "letter case": _letter_case,
    "transform": _transform,
    "slice": _slice,
    "indirect": _indirect,
    "array": _array,
    "printf -v": _printf,
    "read": _read,
    "substitution": _substitution,
    "positional": _positional,
    "declared": _declared,
    "assigned in": _assigned_in,
}
