"""Conditions: a closed grammar that is read, never run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.pipeline.condition import (
    LONGEST,
    Condition,
    ConditionError,
    checks_in,
    holds,
    names_in,
    parse_condition,
)


class Facts:
    """Two steps: `build` failed, `test` ended well."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    def value(self, name: str) -> str:
        return {"branch": "main", "build.exit_code": "3", "build.output": 'it\'s "odd"'}[name]

    def succeeded(self, step: str) -> bool:
        return self._quiet if not step else step == "test"

    def failed(self, step: str) -> bool:
        return not self._quiet if not step else step == "build"


def is_true(text: str, *, quiet: bool = True) -> bool:
    return holds(parse_condition(text), Facts(quiet=quiet))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("branch == 'main'", True),
        ('branch == "main"', True),
        ("branch != 'main'", False),
        ("'main' == branch", True),
        ("build.exit_code == 3", True),
        ("build.exit_code == 3.0", False),
        ("3 != 4", True),
        ("failed(build)", True),
        ("failed('build')", True),
        ("success(build)", False),
        ("success(test) and not failed(test)", True),
        ("not success(test)", False),
        ("not not success(test)", True),
        ("success(build) or success(test)", True),
        ("success(build) or success(test) and failed(test)", False),
        ("(success(build) or success(test)) and failed(build)", True),
        ("not (success(test) and failed(build))", False),
        ("  success( )  ", True),
        ("build.output == 'x'", False),
    ],
)
def test_a_condition_means_what_it_says(text: str, expected: bool) -> None:
    assert is_true(text) is expected


def test_without_a_check_it_holds_only_while_nothing_has_failed() -> None:
    assert is_true("branch == 'main'", quiet=True)
    assert not is_true("branch == 'main'", quiet=False)
    assert is_true("branch == 'main' and failed()", quiet=False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "column 1: something is missing"),
        ("branch", "column 7: expected == or != after 'branch'"),
        ("branch = 'main'", "column 8: '=' is not understood"),
        ("branch == ", "column 11: something is missing"),
        ("branch == 'main", 'column 11: "\'" is not understood'),
        ("failed(", "column 8: expected )"),
        ("exists()", "column 1: there is no exists()"),
        ("success() success()", "column 11: 'success' is too much here"),
        ("and success()", "column 1: 'and' cannot stand here"),
        ("success() && failed()", "column 11: '&' is not understood"),
        ("__import__('os').system('x') == 1", "column 17: '.' is not understood"),
        ("eval('x') == 1", "column 1: there is no eval()"),
        ("branch == `id`", "column 11: '`' is not understood"),
        ("(" * 40 + "success()" + ")" * 40, "nested deeper"),
        ("not " * 40 + "success()", "nested deeper"),
        ("a == 'x' or " * 200 + "a == 'x'", f"is longer than {LONGEST:,}"),
    ],
)
def test_anything_else_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(ConditionError) as refused:
        parse_condition(text)
    assert says in str(refused.value)


def test_it_knows_the_names_in_it() -> None:
    found = parse_condition("branch == build.output or failed(build) and 'branch' != 3")
    assert [each.text for each in names_in(found)] == ["branch", "build.output"]
    assert [each.step for each in checks_in(found)] == ["build"]


def refusal(text: str) -> str:
    try:
        parse_condition(text)
    except ConditionError as error:
        return str(error)
    return ""


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    says = refusal(text)
    assert not says or says.startswith("column ")


_LEAVES = st.sampled_from(["success()", "failed()", "success(test)", "branch == 'main'", "1 == 2"])
_TEXTS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        inner.map(lambda text: f"not ({text})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"
        ),
    ),
    max_leaves=8,
)
_PYTHON = {
    "success()": "True",
    "failed()": "False",
    "success(test)": "True",
    "branch == 'main'": "True",
    "1 == 2": "False",
}


def _by_hand(text: str) -> bool:
    for ours, python in _PYTHON.items():
        text = text.replace(ours, python)
    return bool(eval(text, {"__builtins__": {}}))  # noqa: S307 - only what stands above


@given(_TEXTS)
def test_and_or_not_and_brackets_bind_as_in_python(text: str) -> None:
    found: Condition = parse_condition(f"({text}) and success()")
    assert holds(found, Facts(quiet=True)) is _by_hand(text)
