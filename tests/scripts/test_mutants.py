"""The mutants are real changes, and a test that knows the edge notices them."""

import ast
import types

import pytest
from scripts.mutants import _ROOT, TARGETS, Mutant, install, mutants_of

SOURCE = """
from functools import cache

MOST = 3


def is_many(count: int) -> bool:
    return count >= MOST and not count == 99


class Counter:
    @property
    def double(self) -> int:
        return self.n * 2

    n = 2


@cache
def larger(one: int, other: int) -> int:
    return max(one, other)
"""


def module() -> types.ModuleType:
    made = types.ModuleType("made")
    made.__file__ = "made.py"
    exec(SOURCE, vars(made))  # noqa: S102 - the text above
    return made


def mutant(says: str) -> Mutant:
    (found,) = (each for each in mutants_of(SOURCE) if says in each.says)
    return found


def test_every_target_and_its_tests_exist() -> None:
    for file, tests in TARGETS.items():
        assert (_ROOT / "src/handrail" / file).is_file(), file
        for each in tests:
            assert (_ROOT / each).exists(), each


def test_each_mutant_is_one_change() -> None:
    whole = ast.unparse(ast.parse(SOURCE)).splitlines()
    for each in mutants_of(SOURCE):
        changed = ast.unparse(each.tree).splitlines()
        assert sum(one != other for one, other in zip(whole, changed, strict=True)) == 1


def test_all_kinds_of_changes_are_made() -> None:
    assert {each.says for each in mutants_of(SOURCE)} >= {
        "3  →  4",
        "count >= MOST  →  count > MOST",
        "count == 99  →  count != 99",
        "self.n * 2  →  self.n / 2",
        "max(one, other)  →  min(one, other)",
    }


@pytest.mark.parametrize(
    ("says", "expression", "before", "after"),
    [
        ("count >= MOST  →", "is_many(3)", True, False),
        ("3  →  4", "is_many(3)", True, False),
        ("self.n * 2  →", "Counter().double", 4, 1),
        ("max(one, other)", "larger(1, 2)", 2, 1),
    ],
)
def test_a_mutant_takes_the_place_of_the_code(
    says: str, expression: str, before: object, after: object
) -> None:
    made = module()
    assert eval(expression, vars(made)) == before  # noqa: S307
    vars(made)["larger"].cache_clear()
    install(made, mutant(says))
    assert eval(expression, vars(made)) == after  # noqa: S307
