"""Parses Python code and follows it, also through code that it runs itself."""

import ast
import re
import warnings

from handrail.shell.inline.code import Code
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.python_values import HOLE
from handrail.shell.inline.python_walk import PythonWalk
from handrail.shell.word import OPAQUE

MAX_NESTED = 4
"""How often code may run code that stands in a text."""

_RISKY = re.compile(
    r"\b(?:os\s*\.\s*(?:system|popen|exec\w+|spawn\w+|remove|unlink|fork|kill)|subprocess|rmtree"
    r"|shutil\s*\.\s*move|pty\s*\.\s*spawn|__import__|exec\s*\(|eval\s*\(|socket\s*\.\s*socket"
    r"|urlopen|unlink\s*\(|requests\s*\.\s*(?:post|put)|b64decode|ctypes)"
)
_PRINTS = re.compile(r"((?:^|[;:])[ \t]*)(print|exec)[ \t]+(?![=(])([^;\n]+)", re.MULTILINE)


def read(code: str) -> Code:
    """What Python code does; it is parsed whatever it names."""
    found = EffectCollector()
    PythonReader(found).read(code)
    return found.code()


class PythonReader:
    """Reads a text, and the texts that it runs in turn."""

    def __init__(self, found: EffectCollector) -> None:
        self.found = found
        self.walk = PythonWalk(found)
        self._depth = 0
        found.nested = self.read

    def read(self, code: str) -> None:
        """Add what the code does; code that is too deep or broken counts as unseen."""
        if self._depth > MAX_NESTED:
            self.found.unseen("code inside code inside code")
            return
        self._depth += 1
        try:
            tree = parse(code)
            if tree is None:
                if _RISKY.search(code):
                    self.found.unseen("code that does not parse")
            else:
                self.walk.module(tree)
        except (RecursionError, MemoryError):
            self.found.unseen("code that is nested too deeply to be read")
        finally:
            self._depth -= 1


def parse(code: str) -> ast.Module | None:
    """The syntax tree, also of code with unknown parts or of Python 2; None if it has none."""
    for attempt in (_as_is, _with_names, _with_calls):
        text = attempt(code)
        if text is None:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(text)
        except (SyntaxError, ValueError) as error:
            if "too many nested" in str(error):
                raise RecursionError from error
    return None


def _as_is(code: str) -> str | None:
    return code


def _with_names(code: str) -> str | None:
    """Unknown parts become names, so that they may stand anywhere."""
    return code.replace(OPAQUE, HOLE) if OPAQUE in code else None


def _with_calls(code: str) -> str | None:
    """Python 2 statements become calls."""
    calls = _PRINTS.sub(r"\1\2(\3)", code.replace(OPAQUE, HOLE).lstrip())
    return calls if calls != code else None
