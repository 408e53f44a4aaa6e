"""Change the code a little, and see whether a test notices.

`make mutants` tries a sample of small changes (mutants) of the files whose boundaries matter most,
each against the tests of its room. A mutant that no test notices survives, and is printed. Nothing
on the disk is changed: pytest collects the tests once, and each mutant lives and dies in a fork.

    python -m scripts.mutants [--sample N] [--seconds S] [FILE...]
"""

import argparse
import ast
import copy
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from random import Random
from types import CodeType, FunctionType, ModuleType
from typing import Final, NamedTuple

import pytest

_ROOT = Path(__file__).parent.parent
_SOURCE = _ROOT / "src"
_MAX_SECONDS = 90
"""For one mutant; one that makes the tests hang was noticed."""

_CHOICE = tuple(
    f"tests/intervene/test_{name}.py"
    for name in ("candidates", "strategy", "effectiveness", "controller", "plugins", "own_package")
)
_GATE = (
    "tests/supervise/decision/test_run_limits.py",
    "tests/supervise/decision/test_limit_boundaries.py",
)
TARGETS: Final[dict[str, tuple[str, ...]]] = {
    "review/judgment/decide.py": ("tests/review/judgment/test_decide.py",),
    "review/judgment/rationality.py": ("tests/review/judgment/test_rationality.py",),
    "intervene/controller.py": _CHOICE,
    "intervene/candidates.py": _CHOICE,
    "intervene/strategy.py": _CHOICE,
    "intervene/score.py": _CHOICE,
    "intervene/effectiveness.py": _CHOICE,
    "detect/combinations.py": ("tests/detect/test_combinations.py",),
    "detect/progress_tracker.py": (
        "tests/detect/test_progress_tracker.py",
        "tests/detect/detectors",
    ),
    "detect/severity_ladder.py": ("tests/detect/detectors",),
    **{
        f"detect/detectors/{path.name.removeprefix('test_')}": (
            f"tests/detect/detectors/{path.name}",
        )
        for path in sorted((_ROOT / "tests/detect/detectors").glob("test_*.py"))
    },
    "supervise/decision/run_limits.py": _GATE,
    "supervise/decision/verdict.py": _GATE,
    "checkpoint/restore/plan.py": ("tests/checkpoint/test_restore.py", "tests/checkpoint/restore"),
    "fleet/recovery/stall.py": ("tests/fleet/recovery/test_stall.py",),
    "fleet/tasks/dependencies.py": ("tests/fleet/tasks/test_dependencies.py",),
    "fleet/disk_space.py": ("tests/fleet/test_disk_space.py",),
    "fleet/budget.py": ("tests/fleet/test_budget.py",),
    "drive/backoff.py": ("tests/drive/test_backoff.py",),
    "drive/reset_time.py": ("tests/drive/test_reset_time.py",),
    "control/transitions.py": ("tests/control/test_transitions.py",),
    "control/request_ledger.py": (
        "tests/control/test_request_ledger.py",
        "tests/control/test_restart.py",
    ),
}
"""Files below `src/handrail`, and the tests that should notice a change."""


# The changes


class Mutant(NamedTuple):
    """One changed module."""

    line: int
    says: str
    tree: ast.Module
    constant: str
    """The constant of the module that is changed; empty: a function is."""


_OPERATORS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip
_FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}


def mutants_of(source: str) -> Iterator[Mutant]:
    """Yield all small changes of a module."""
    tree = ast.parse(source)
    for number, node in enumerate(_changeable(tree)):
        changed = copy.deepcopy(tree)
        here = next(each for i, each in enumerate(_changeable(changed)) if i == number)
        for change in _changes(here.node):
            before = ast.unparse(here.node)
            undo = change()
            says = f"{before}  →  {ast.unparse(here.node)}"
            kept = copy.deepcopy(changed)
            undo()
            line = getattr(node.node, "lineno", 0)
            yield Mutant(line, says, ast.fix_missing_locations(kept), node.constant)


class _Place(NamedTuple):
    node: ast.AST
    constant: str


def _changeable(tree: ast.Module) -> Iterator[_Place]:
    """Yield the nodes in functions, and those in the constants of the module."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            if isinstance(target, ast.Name):
                yield from (_Place(each, target.id) for each in ast.walk(statement.value))
        for node in ast.walk(statement):
            if isinstance(node, ast.FunctionDef):
                for inner in node.body:
                    yield from (_Place(each, "") for each in _code(inner))


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a statement without inner functions, which are reached by themselves, and types."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        return
    yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name != "annotation":
                yield from _code(child)


Undo = Callable[[], None]


def _changes(node: ast.AST) -> Iterator[Callable[[], Undo]]:
    """Yield the ways to change a node in place, each with the way back."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in _OPERATORS:
            yield lambda: _set(node, "ops", [_OPERATORS[type(op)]()])
        case ast.BoolOp(op=op):
            yield lambda: _set(node, "op", _OPERATORS[type(op)]())
        case ast.BinOp(op=op) if type(op) in _OPERATORS and not _has_text(node):
            yield lambda: _set(node, "op", _OPERATORS[type(op)]())
        case ast.Constant(value=bool() as value):
            yield lambda: _set(node, "value", not value)
        case ast.Constant(value=int() | float() as number):
            yield lambda: _set(node, "value", number + 1)
        case ast.Call(func=ast.Name(id=name) as called) if name in _FUNCTIONS:
            yield lambda: _set(called, "id", _FUNCTIONS[name])
        case ast.If(test=test) | ast.IfExp(test=test):
            if not isinstance(test, ast.Compare | ast.BoolOp):
                yield lambda: _set(node, "test", ast.UnaryOp(ast.Not(), test))


def _set(node: ast.AST, field: str, value: object) -> Undo:
    before = getattr(node, field)
    setattr(node, field, value)
    return lambda: setattr(node, field, before)


def _has_text(node: ast.BinOp) -> bool:
    """Return whether it joins texts: another operator would only be a type error."""
    return any(
        isinstance(each, ast.JoinedStr)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str | bytes))
        for each in (node.left, node.right)
    )


# A mutant's life


def install(module: ModuleType, mutant: Mutant) -> None:
    """Put the changed code into a loaded module."""
    scratch = dict(vars(module))
    code = compile(mutant.tree, str(module.__file__), "exec")
    if mutant.constant:
        exec(code, scratch)  # noqa: S102 - our own code
        old, new = vars(module)[mutant.constant], scratch[mutant.constant]
        for each in [module, *sys.modules.values()]:
            if vars(each).get(mutant.constant) is old:
                setattr(each, mutant.constant, new)
        return
    codes = {each.co_qualname: each for each in _codes(code)}
    for function in _functions(vars(module), module.__name__):
        changed = codes.get(function.__code__.co_qualname)
        if changed is not None and len(changed.co_freevars) == len(function.__code__.co_freevars):
            function.__code__ = changed


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


def _functions(names: dict[str, object], module: str) -> Iterator[FunctionType]:
    for value in list(names.values()):
        if isinstance(value, type):
            if value.__module__ == module:
                yield from _functions(dict(vars(value)), module)
            continue
        found = getattr(value, "fget", None) or getattr(value, "__func__", None) or value
        found = getattr(found, "__wrapped__", found)
        if isinstance(found, FunctionType) and found.__module__ == module:
            yield found


class TargetScore(NamedTuple):
    """What became of the mutants of one file."""

    file: str
    tried: int
    of: int
    survivors: tuple[str, ...]
    problem: str = ""


class _Trial:
    """A pytest plugin: collect once, then run all tests for each mutant in a fork."""

    def __init__(self, file: str, sample: int, seconds: float) -> None:
        path = _SOURCE / "handrail" / file
        self.module = import_module(f"handrail.{file.removesuffix('.py').replace('/', '.')}")
        every = list(mutants_of(path.read_text()))
        chosen = every if not sample else Random(file).sample(every, min(sample, len(every)))
        self._mutants = sorted(chosen, key=lambda each: each.line)
        self._ends = time.monotonic() + seconds
        self.score = TargetScore(file, 0, len(every), (), "no tests ran")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if self._fails(session, None):
            self.score = self.score._replace(problem="a test fails without any change")
            return True
        tried, survivors = 0, []
        for mutant in self._mutants:
            if time.monotonic() > self._ends:
                break
            tried += 1
            if not self._fails(session, mutant):
                survivors.append(f"{self.score.file}:{mutant.line}: {mutant.says}")
        self.score = self.score._replace(tried=tried, survivors=tuple(survivors), problem="")
        return True

    def _fails(self, session: pytest.Session, mutant: Mutant | None) -> bool:
        """Return whether a test fails, or never ends, with a mutant in place."""
        child = os.fork()
        if child:
            return os.waitpid(child, 0)[1] != 0
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_MAX_SECONDS * (1 if mutant else 10))
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        code = 1
        try:
            if mutant is not None:
                install(self.module, mutant)
            code = _first_failure(session)
        finally:
            os._exit(code)


def _first_failure(session: pytest.Session) -> int:
    """Run the tests up to the first failure; 0: there is none."""
    items = session.items
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return 1
    return 0


_OPTIONS = (
    "-p no:terminal -p no:cacheprovider --timeout 0 -p no:xdist --hypothesis-profile ci".split()
)


def try_file(file: str, sample: int, seconds: float) -> TargetScore:
    """Try the mutants of one file."""
    trial = _Trial(file, sample, seconds)
    tests = [str(_ROOT / each) for each in TARGETS[file]]
    pytest.main([*_OPTIONS, *tests], plugins=[trial])
    return trial.score


def main(arguments: list[str]) -> int:
    """Try all files, or those that are named, and print the score of each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="part of a file's name")
    parser.add_argument("--sample", type=int, default=25, help="mutants per file; 0: all")
    parser.add_argument("--seconds", type=float, default=120, help="at most, for each file")
    given = parser.parse_args(arguments)
    files = [each for each in TARGETS if not given.files or any(n in each for n in given.files)]
    total = killed = 0
    # A process for each file: its tests are collected with nothing else loaded.
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for file in files:
            score = pool.apply(try_file, (file, given.sample, given.seconds))
            caught = score.tried - len(score.survivors)
            total, killed = total + score.tried, killed + caught
            print(f"{file}: {score.problem or f'{caught} of {score.tried} noticed'} ({score.of})")
            for each in score.survivors:
                print(f"  {each}")
            sys.stdout.flush()
    print(f"Noticed {killed} of {total} mutants ({100 * killed / max(total, 1):.0f} %).")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
