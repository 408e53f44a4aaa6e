"""Whatever stands in the place of a file ends in a sentence, not in a crash."""

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from handrail.config import ConfigError, SettingOrigin
from handrail.config.read_file import MAX_BYTES, parse_yaml

if TYPE_CHECKING:
    from tests.config.conftest import ScratchMachine

LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [*{before}, *{before}]\n"
    for before, name in zip("abcdefghijklmnopqrst", "bcdefghijklmnopqrstu", strict=True)
)
CHAIN = "k0: &k0 [x]\n" + "".join(f"k{n + 1}: &k{n + 1} [*k{n}]\n" for n in range(100))

BROKEN = {
    "duplicate key": (
        "step_reviewer:\n  mode: async\n  cache: {}\n  mode: blocking\n",
        "handrail.yaml:4: step_reviewer.mode: is given twice, first in line 2",
    ),
    "tab": (
        "hosts:\n\ttrusted: []\n",
        (
            "handrail.yaml:2: a tab, @ or ` stands where a value should begin; indent with spaces, "
            "and put such a value in quotes"
        ),
    ),
    "two colons": (
        "goal: fix: the cart\n",
        (
            "handrail.yaml:1: a second `: ` stands in this line; put the value in quotes, "
            "or check the indentation"
        ),
    ),
    "unclosed list": (
        "scope: [a,\n",
        "handrail.yaml:2: not YAML: did not find expected node content",
    ),
    "control character": (
        "goal: ship\nscope: [\x01]\n",
        "handrail.yaml:2: holds a control character",
    ),
    "two documents": (
        "goal: a\n---\ngoal: b\n",
        "handrail.yaml:3: a second document begins; only one is understood",
    ),
    "a tag of Python": (
        "goal: !!python/name:os.system x\n",
        "handrail.yaml:1: the tag tag:yaml.org,2002:python/name:os.system is not understood",
    ),
    "a tag on a list": ("scope: !x [a]\n", "handrail.yaml:1: the tag !x is not understood"),
    "a merge key": (
        "hosts: &h {trusted: []}\nx:\n  <<: *h\n",
        "handrail.yaml:3: `<<` is not understood; write the keys out",
    ),
    "an unknown alias": ("goal: *x\n", "handrail.yaml:1: *x is not defined above"),
    "an alias of itself": ("goal: &x [*x]\n", "handrail.yaml:1: *x is not defined above"),
    "a list as key": ("? [a]\n: b\n", "handrail.yaml:1: a key must be a plain text"),
    "an alias as key": ("goal: &x a\n*x : b\n", "handrail.yaml:2: a key must be a plain text"),
    "a billion laughs": (LAUGHS, "handrail.yaml:14: holds more than 50000 values"),
    "a chain of aliases": (CHAIN, "handrail.yaml:31: is nested deeper than 32 levels"),
    "deep nesting": ("[" * 500_000, "handrail.yaml:1: is nested deeper than 32 levels"),
    "deep dashes": ("- " * 400_000, "handrail.yaml:1: is nested deeper than 32 levels"),
    "many values": (
        "goal: [" + "1," * 60_000 + "]",
        "handrail.yaml:1: holds more than 50000 values",
    ),
    "too large": ("#" * (MAX_BYTES + 1), "handrail.yaml: is larger than 1 MB"),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_told_with_its_line(
    text: str, said: str, machine: "ScratchMachine"
) -> None:
    start = time.process_time()
    assert machine.problems(text) == [said]
    assert time.process_time() - start < 5


def test_all_duplicate_keys_are_told(machine: "ScratchMachine") -> None:
    assert machine.problems("goal: a\ngoal: b\nhosts: {}\nhosts: {}\n") == [
        "handrail.yaml:2: goal: is given twice, first in line 1",
        "handrail.yaml:4: hosts: is given twice, first in line 3",
    ]


def test_a_folder_in_its_place_is_told(machine: "ScratchMachine") -> None:
    (machine.project / "handrail.yaml").mkdir()
    assert machine.problems() == ["handrail.yaml: is not a file"]


def test_a_named_pipe_in_its_place_does_not_hang(machine: "ScratchMachine") -> None:
    os.mkfifo(machine.project / "handrail.yaml")
    assert machine.problems() == ["handrail.yaml: is not a file"]


def test_a_link_in_a_circle_is_told(machine: "ScratchMachine") -> None:
    (machine.project / "handrail.yaml").symlink_to("handrail.yaml")
    assert machine.problems() == ["handrail.yaml: cannot be read: the link leads in a circle"]


def test_a_link_to_nothing_is_told(machine: "ScratchMachine") -> None:
    (machine.project / "handrail.yaml").symlink_to("gone.yaml")
    assert machine.problems() == ["handrail.yaml: there is no such file"]


@pytest.mark.usefixtures("no_override")
def test_a_file_without_permission_is_told(machine: "ScratchMachine") -> None:
    machine.write("goal: x\n").chmod(0)
    assert machine.problems() == ["handrail.yaml: cannot be read: permission denied"]


def test_what_is_not_utf8_is_told(machine: "ScratchMachine") -> None:
    machine.write("").write_bytes(b"goal: x\nscope: [caf\xe9]\n")
    assert machine.problems() == ["handrail.yaml:2: is not UTF-8 text"]


def test_a_byte_order_mark_is_no_problem(machine: "ScratchMachine") -> None:
    machine.write("").write_bytes(b"\xef\xbb\xbfgoal: x\r\n")
    assert machine.load().config.goal == "x"


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "null\n"])
def test_an_empty_file_is_an_empty_mapping(text: str, machine: "ScratchMachine") -> None:
    machine.write(text)
    assert machine.load().tree.value == {}


def parse(text: str) -> object:
    return parse_yaml(text, SettingOrigin("x", 1)).plain()


def test_a_key_is_always_a_text() -> None:
    assert parse("on: 1\n5: 2\nnull: 3\n") == {"on": 1, "5": 2, "null": 3}


def test_scalars_are_read_as_yaml_reads_them() -> None:
    text = "[1, 0x10, 1.5, true, no, ~, '1', 2024-01-01, .inf, !!str 5, !!int x, =]"
    expected = [1, 16, 1.5, True, False, None, "1", "2024-01-01", ".inf", "5", "x", "="]
    assert parse(text) == expected


def test_a_number_of_many_digits_stays_a_text() -> None:
    digits = "9" * 5000
    assert parse(digits) == digits


def test_an_alias_is_a_copy_with_the_lines_of_the_original() -> None:
    node = parse_yaml("a: &x\n  b: [1]\nc: *x\n", SettingOrigin("f", 1))
    assert node.plain() == {"a": {"b": [1]}, "c": {"b": [1]}}
    assert str(node.find("c.b[0]").origin) == "f:2"  # type: ignore[union-attr]


SCALARS = st.none() | st.booleans() | st.integers() | st.text()
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(TREES)
def test_what_was_dumped_is_read_back(data: object) -> None:
    if data is not None and not _has_merge_key(data):
        assert parse(yaml.safe_dump(data)) == data


def _has_merge_key(data: object) -> bool:
    if isinstance(data, dict):
        return "<<" in data or any(map(_has_merge_key, data.values()))
    return isinstance(data, list) and any(map(_has_merge_key, data))


@given(st.text("ab:-[]{}&*!|>'\"#%@`,? \n\t\\<", max_size=60))
@example("? a\n? b\n")
@example("!!float x")
@example("!<> x")
def test_no_text_makes_the_reader_fail_otherwise(text: str) -> None:
    with contextlib.suppress(ConfigError):
        parse(text)


def test_a_file_is_shown_as_people_read_it(machine: "ScratchMachine", tmp_path: Path) -> None:
    outside = tmp_path / "x.yaml"
    outside.write_text("gaol: x\n")
    with pytest.raises(ConfigError, match=rf"^{outside}:1: gaol"):
        machine.load(config_path=outside)
