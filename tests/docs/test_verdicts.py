"""docs/verdicts.md and docs/programs.md say what the reviewer and the tables say now."""

import re
from collections.abc import Callable
from types import ModuleType

Page = Callable[[str], str]


def test_the_verdicts_are_up_to_date(verdicts: ModuleType, page: Page) -> None:
    """If not: make docs"""
    assert page("docs/verdicts.md") == verdicts.render_verdicts()


def test_the_programs_are_up_to_date(verdicts: ModuleType, page: Page) -> None:
    """If not: make docs"""
    assert page("docs/programs.md") == verdicts.render_programs()


def test_every_family_has_telling_examples_of_both_sorts(verdicts: ModuleType) -> None:
    judge = verdicts.reviewer()
    for family in verdicts.families():
        stops = [judge.review(verdicts.action_of(item)).decision.stops for item in family.examples]
        assert 6 <= len(stops) <= 16, family.family
        assert {True, False} == set(stops), family.family


def test_no_example_stands_there_twice(verdicts: ModuleType) -> None:
    examples = [str(item) for family in verdicts.families() for item in family.examples]
    assert sorted(set(examples)) == sorted(examples)


def test_every_stop_says_why_and_what_to_do_instead(page: Page) -> None:
    rows = re.findall(r"(?m)^\| .* \| \*\*(?:block|rewritten)\*\* \| (.*) \| (.*) \|$",
                      page("docs/verdicts.md"))  # fmt: skip
    assert len(rows) > 100
    assert [row for row in rows if not all(cell.strip() for cell in row)] == []


def test_code_spans_hold_pipes_and_backticks(verdicts: ModuleType) -> None:
    assert verdicts.code("a `b` c") == "`` a `b` c ``"
    assert verdicts.table_row(verdicts.code("a | b")) == r"| `a \| b` |"


def test_stars_and_tildes_mean_themselves_outside_of_code(verdicts: ModuleType) -> None:
    assert verdicts.prose("deletes ~/**/x: `ls ~/*`.") == r"deletes \~/\*\*/x: `ls ~/*`."
