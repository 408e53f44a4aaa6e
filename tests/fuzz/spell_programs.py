"""Whole programs: statements inside of each other, of which some run and some do not."""

import random
from collections.abc import Callable

_WORDS = (
    "a.txt", "$v", '"$v"', "$w", '"${w}"', "$1", '"$@"', "$#", "${v:-x}", "$(echo $v)", "$n",
    "${a[0]}", '"${a[@]}"', "x$v", "*.txt", "~/x", "$((n+1))", "${v%t}", "'b c'", "{p,q}",
    "${v-x}", '"${w+y}"',
)  # fmt: skip
_VALUES = (
    "a", "b", "$v", '"$w"', "'a b'", "$1", "$(echo c)", "${v:-d}", "$((n+1))", "~/y", "?.txt",
    "x$w", "", "${a[1]}", "$*",
)  # fmt: skip
_CHANGES = (
    "set -- p q", "set -- $v", "set --", "shift", "unset v", "unset -v w", "n=$((n+1))", "((n++))",
    "let n=n+2", "cd ..", "cd", "cd ~/.ssh", "cd -", "cd ~/.local/state", "pushd ~/.ssh > o",
    "popd > o", "IFS=:", "IFS=",
    "read v w <<< 'r s t'", "read v", "mapfile -t a <<< $'k\\nl'", "printf -v v %s-z $n",
    "v+=z", "a+=(z)", "a[1]=y", "unset a", "export v", "local v=9", "declare v=8", "declare -i n",
    "eval v=e", "f() { rm inner $v; }", "f", "f $v k", "unset -f f", "alias f=true", "exec 3> o",
    "echo $v > o", "echo x >> $w", ": > new.txt", "trap 'rm $v' EXIT", "getopts ab: v -a -b x",
    "true", "false", ":", "break", "continue", "return", "break 2", "[ $n = 1 ]", "[[ $v == a* ]]",
    "[[ -n $w ]]", "(( n > 1 ))", "v=$w w=$v", "declare -n r=v", "r=t", "wait", "set -f", "set +f",
    "git log", "cat <<< $v", "echo $v", "echo rm $v | sh", "bash -c 'rm c $1' p $v", "v=1 git log",
    "exit", "declare -u v", "v=$(cd ~/.ssh; echo $PWD)", "readonly w",
)  # fmt: skip


class ProgramSpeller:
    """Puts one program together."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._left = chance.choice((3, 5, 8, 12))
        """Statements that may still be added."""

    def text(self) -> str:
        """Statements, and at their end what the variables hold."""
        body = "\n".join(self._body(0) for _ in range(2))
        return f'v=1 w=2 n=0; a=(i j); f() {{ rm f "$1"; }}\n{body}\nrm end $v $w $n "${{a[@]}}"'

    def _body(self, depth: int) -> str:
        statements = [self._statement(depth)]
        while self._left > 0 and self._chance.random() < 0.6:
            statements.append(self._statement(depth))
        text = statements[0]
        for statement in statements[1:]:
            text += (
                self._chance.choice(("; ", "\n", "\n", "\n\n", " && ", " || ", "; ")) + statement
            )
        return text

    def _statement(self, depth: int) -> str:
        self._left -= 1
        if depth < 3 and self._left > 0 and self._chance.random() < 0.35:
            return self._chance.choice(_COMPOUNDS)(self, depth + 1)
        way = self._chance.random()
        if way < 0.3:
            words = " ".join(
                self._chance.choice(_WORDS) for _ in range(self._chance.choice((1, 2)))
            )
            return f"rm {words}"
        if way < 0.5:
            return f"{self._chance.choice('vwn')}={self._chance.choice(_VALUES)}"
        return self._chance.choice(_CHANGES)

    def _inside(self, depth: int) -> str:
        return self._body(depth)

    def group(self, depth: int) -> str:
        return f"{{ {self._inside(depth)}\n}}"

    def subshell(self, depth: int) -> str:
        return f"( {self._inside(depth)} )"

    def branch(self, depth: int) -> str:
        condition = self._chance.choice(
            ("true", "false", "[ $n = 0 ]", "cd ~/.ssh", "v=c", "read v")
        )
        other = self._chance.choice(("", f"\nelse {self._inside(depth)}",
                                     f"\nelif v=q; then {self._inside(depth)}"))  # fmt: skip
        return f"if {condition}; then {self._inside(depth)}{other}\nfi"

    def choice(self, depth: int) -> str:
        subject = self._chance.choice(("$v", "a", '"$w"', "$n"))
        pattern = self._chance.choice(("a", "1", "*", "[0-9]", "$v", "a|1", "?"))
        end = self._chance.choice((";;", ";&", ";;&"))
        inside, rest = self._inside(depth), self._inside(depth)
        return f"case {subject} in {pattern}) {inside}\n{end}\n*) {rest}\n;;\nesac"

    def loop(self, depth: int) -> str:
        head = self._chance.choice(
            ("for v in a b", "for v in $w", 'for v in "$@"', "for v", "for n in {1..2}",
             "for w in ?.txt", "for ((n=0; n<2; n++))", "for v in $(echo p q)", "while read v",
             "while ((n++ < 2))",
             "while [ $((n+=1)) -lt 3 ]", "until ((n++ > 1))", "for v in"))  # fmt: skip
        feed = self._chance.choice(("", "", " <<< 'l m'", " < ~/.ssh/id_rsa", " > o", " 2> o$n"))
        if head == "while read v" and not feed.startswith(" <"):
            feed = " <<< 'l m'"
        return f"{head}; do {self._inside(depth)}\ndone{feed}"

    def pipe(self, depth: int) -> str:
        return self._chance.choice(
            (
                f"echo $v | {{ read w; {self._inside(depth)}\n}}",
                f"{{ {self._inside(depth)}\n}} | cat",
                f"echo a | cat | cat\n{self._inside(depth)}",
                f"git log | while read v; do {self._inside(depth)}\ndone",
                f"cd ~/.ssh | {self._statement(3)}",
            )
        )

    def background(self, depth: int) -> str:
        return f"{{ {self._inside(depth)}\n}} & wait"

    def function(self, depth: int) -> str:
        local = self._chance.choice(("", "local v=$1; ", "local w; ", "set -- y z; "))
        name = self._chance.choice("gf")
        # `*.txt` has a name with a blank, which falls apart in `for v; do rm $v`: see `OPEN`.
        given = self._chance.choice(_WORDS).replace("*", "?")
        return f"{name}() {{ {local}{self._inside(depth)}\n}}; {name} {given}"

    def redirected(self, depth: int) -> str:
        where = self._chance.choice(
            ("> o", ">> $w", "2> o", "< ~/.ssh/id_rsa", "<<< $v", "&> o$n", "3> o")
        )
        return f"{{ {self._inside(depth)}\n}} {where}"

    def substitution(self, depth: int) -> str:
        return self._chance.choice(
            (
                f"v=$({self._inside(depth)}\n)",
                f'rm "$({self._inside(depth)}\n)"',
                f"cat <({self._inside(depth)}\n)",
            )
        )

    def negated(self, depth: int) -> str:
        return f"! {self._statement(3)}"

    def list(self, depth: int) -> str:
        sign = self._chance.choice(("&&", "||"))
        return f"{self._statement(3)} {sign} {self._statement(3)}"


_COMPOUNDS: tuple[Callable[[ProgramSpeller, int], str], ...] = (
    ProgramSpeller.group,
    ProgramSpeller.subshell,
    ProgramSpeller.branch,
    ProgramSpeller.branch,
    ProgramSpeller.choice,
    ProgramSpeller.loop,
    ProgramSpeller.loop,
    ProgramSpeller.pipe,
    ProgramSpeller.background,
    ProgramSpeller.function,
    ProgramSpeller.function,
    ProgramSpeller.redirected,
    ProgramSpeller.substitution,
    ProgramSpeller.negated,
    ProgramSpeller.list,
    ProgramSpeller.list,
)
