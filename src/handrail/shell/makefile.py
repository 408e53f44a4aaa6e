"""A Makefile as make reads it: which command lines the targets of a call run."""

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from handrail.shell.word import OPAQUE

_MAX_LINES = 200
_MAX_DEPTH = 8
"""Variables inside variables."""
_MAX_VALUE = 8 * 1024
_ASSIGNMENT = re.compile(
    r"(?:(?:export|override|private)\s+)*([\w.-]+)\s*(?P<operator>:{0,3}|\?|\+|!)=\s*(.*)"
)
_RULE = re.compile(r"([^\s:=#][^:=#]*?)\s*&?::?(?![:=])\s*([^;]*)(?:;(.*))?")
_REFERENCE = re.compile(r"\$(?:\$|([({])|(.))", re.DOTALL)
_CONTINUED = re.compile(r"\s*\\\n\s*")
_INCLUDE = re.compile(r"(?m)^ *[-s]?include[ \t]+([^#\n]+)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CLOSING = {"(": ")", "{": "}"}


def included_files(text: str) -> list[str]:
    """The files that a makefile includes, as far as their names are known."""
    lines = _INCLUDE.findall(_CONTINUED.sub(" ", text))
    return [name for line in lines for name in line.split() if "$" not in name]


class MakeRule(msgspec.Struct):
    """The targets of one rule, what they need, and the recipe."""

    targets: list[str]
    needs: list[str]
    recipe: list[str]

    def makes(self, target: str) -> bool:
        """Whether it is a rule for a target, by its name or by a pattern."""
        for name in self.targets:
            start, percent, end = name.partition("%")
            fits = target.startswith(start) and target.endswith(end)
            if name == target or (percent and fits and len(target) > len(start + end)):
                return True
        return False


class Makefile:
    """The rules and variables of one file; conditions count as if both branches held."""

    def __init__(self, text: str, given: Sequence[tuple[str, str]] = ()) -> None:
        """`given`: variables from the command line, which win."""
        self.variables: dict[str, str] = {"MAKE": "make"}
        self.rules: list[MakeRule] = []
        self.at_once: list[str] = []
        """Values that make expands while it reads the file."""
        for line in _CONTINUED.sub(" ", text).splitlines():
            self._line(line)
        self.variables.update(given)

    def _line(self, line: str) -> None:
        if line.startswith("\t"):
            if self.rules and line.strip():
                self.rules[-1].recipe.append(line.strip())
            return
        line = re.sub(r"(?:^|\s)#.*", "", line).strip()
        if found := _ASSIGNMENT.fullmatch(line):
            self._assign(found[1], found["operator"], found[3])
        elif found := _RULE.fullmatch(line):
            if own := _ASSIGNMENT.fullmatch(found[2].strip()):
                self._assign(own[1], own["operator"], own[3])
                return
            targets, needs = self.expand(found[1]).split(), self.expand(found[2]).split()
            recipe = [found[3].strip()] if found[3] and found[3].strip() else []
            self.rules.append(MakeRule(targets, needs, recipe))
        elif line:
            self.at_once.append(line)

    def _assign(self, name: str, operator: str, value: str) -> None:
        if operator == "!":
            value = f"$(shell {value})"
        if operator == "+":
            value = f"{self.variables.get(name, '')} {value}"
        if operator != "?" or name not in self.variables:
            self.variables[name] = value[:_MAX_VALUE]
        if operator[:1] in {":", "!"}:
            self.at_once.append(value)

    def expand(self, text: str, local: dict[str, str] | None = None, depth: int = 0) -> str:
        """Put variables in; what only make knows becomes unknown, `$(shell x)` becomes `$(x)`."""
        if "$" not in text or depth > _MAX_DEPTH:
            return text
        parts: list[str] = []
        at = 0
        while found := _REFERENCE.search(text, at):
            parts.append(text[at : found.start()])
            at = found.end()
            if not (found[1] or found[2]):
                parts.append("$")
                continue
            name = found[2]
            if found[1]:
                end = _closing(text, at, found[1])
                name, at = text[at:end], end + 1
            parts.append(self._value(name, local or {}, depth))
        value = "".join((*parts, text[at:]))
        return value if len(value) <= _MAX_VALUE else OPAQUE

    def _value(self, name: str, local: dict[str, str], depth: int) -> str:
        if name in local:
            return local[name]
        if name in self.variables:
            return self.expand(self.variables[name], local, depth + 1)
        if name.startswith("shell "):
            return f"$({self.expand(name[6:], local, depth + 1)})"
        return f"${{{name}}}" if _NAME.fullmatch(name) else OPAQUE

    @property
    def default(self) -> str:
        """The target of a call that names none."""
        named = self.variables.get(".DEFAULT_GOAL", "")
        targets = (target for rule in self.rules for target in rule.targets)
        return named or next((each for each in targets if each[:1] != "." and "%" not in each), "")

    def recipes(self, goals: Sequence[str]) -> Iterator[str]:
        """The recipe lines of these targets and of everything that they need."""
        waiting, seen = list(goals or [self.default]), set[str]()
        while waiting:
            goal = waiting.pop()
            if goal in seen or goal == ".PHONY":
                continue
            seen.add(goal)
            for rule in self.rules:
                if rule.makes(goal):
                    waiting += rule.needs
                    needs = {"<": " ".join(rule.needs[:1]), "^": " ".join(rule.needs)}
                    yield from self._recipe(rule, {"@": goal, **needs})

    def _recipe(self, rule: MakeRule, local: dict[str, str]) -> Iterator[str]:
        lines = [line.lstrip("@+- ") for line in rule.recipe]
        if any(".ONESHELL" in each.targets for each in self.rules):
            lines = ["\n".join(lines)]
        shell = self.expand(self.variables.get("SHELL", ""))
        for line in lines:
            made = self.expand(line, local)
            yield f"{shell} -c {shlex.quote(made)}" if shell else made


def _closing(text: str, start: int, opening: str) -> int:
    """Return the place of the bracket that closes a reference; the end if there is none."""
    closing, depth = _CLOSING[opening], 1
    for index in range(start, len(text)):
        depth += (text[index] == opening) - (text[index] == closing)
        if not depth:
            return index
    return len(text)


def make_commands(text: str, words: Sequence[str]) -> Iterator[str]:
    """The command lines that `make WORDS` runs of a Makefile."""
    given = [word.partition("=")[::2] for word in words if "=" in word]
    makefile = Makefile(text, [(name.rstrip(":?+"), value) for name, value in given])
    for value in makefile.at_once:
        if "$(shell" in value or "${shell" in value:
            yield f": {makefile.expand(value)}"
    lines = makefile.recipes([word for word in words if "=" not in word])
    yield from islice(lines, _MAX_LINES)
