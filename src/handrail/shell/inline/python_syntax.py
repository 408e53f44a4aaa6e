"""Parse Python code, also that of Python 2 and code with unknown parts."""

import ast
import re
import warnings
from functools import lru_cache

from handrail.shell.inline.python_values import HOLE
from handrail.shell.word import OPAQUE

_PRINTS = re.compile(r"((?:^|[;:])[ \t]*)(print|exec)[ \t]+(?![=(])([^;\n]+)", re.MULTILINE)


@lru_cache(maxsize=16)
def parse(code: str) -> ast.Module | None:
    """Return the syntax tree, also of Python 2 or code with unknown parts; None if unreadable."""
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
    """Turn unknown parts into names, which are valid anywhere."""
    return code.replace(OPAQUE, HOLE) if OPAQUE in code else None


def _with_calls(code: str) -> str | None:
    """Turn Python 2 statements into calls."""
    calls = _PRINTS.sub(r"\1\2(\3)", code.replace(OPAQUE, HOLE).lstrip())
    return calls if calls != code else None
