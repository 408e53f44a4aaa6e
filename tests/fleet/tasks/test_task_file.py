"""What `tasks.yaml` says, and what is said about its mistakes."""

from pathlib import Path

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from handrail.config import ConfigError, ConfigProblem, SettingOrigin
from handrail.fleet.tasks.task import LONGEST_ID, Task, TaskLimits, is_task_id
from handrail.fleet.tasks.task_file import MAX_TASKS, id_from_text, parse_tasks, read_task_file

pytestmark = pytest.mark.slow

ORIGIN = SettingOrigin("tasks.yaml", 1)


def tasks_in(text: str) -> tuple[Task, ...]:
    return parse_tasks(text, ORIGIN)


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        tasks_in(text)
    return [str(problem) for problem in caught.value.problems]


def test_every_key_of_a_task_is_read(tmp_path: Path) -> None:
    file = tmp_path / "tasks.yaml"
    file.write_text(
        """\
tasks:
  - id: cart
    title: The cart
    prompt: |
      Make the cart count.
      Add tests.
    scope: [src/cart/**, tests]
    verify: make test
    depends_on: [build]
    priority: 5
    model: opus
    host: claude
    limits: {iterations: 20, minutes: 30, cost_usd: 2.5, tokens: 100000, memory_mb: 900}
  - id: build
    prompt: Make it build
"""
    )
    cart, build = read_task_file(file)
    assert cart == Task(
        id="cart",
        title="The cart",
        prompt="Make the cart count.\nAdd tests.\n",
        scope=("src/cart/**", "tests"),
        verify="make test",
        depends_on=("build",),
        priority=5,
        model="opus",
        host="claude",
        limits=TaskLimits(iterations=20, minutes=30, cost_usd=2.5, tokens=100000, memory_mb=900),
    )
    assert build == Task(id="build", prompt="Make it build")


def test_a_plain_text_is_a_prompt_with_an_id_made_from_it() -> None:
    assert tasks_in("tasks:\n  - Fix the failing tests!\n") == (
        Task(id="fix-the-failing-tests", prompt="Fix the failing tests!"),
    )


def test_a_task_without_an_id_is_called_after_its_title() -> None:
    (task,) = tasks_in("tasks:\n  - {title: The cart, prompt: Make it count}\n")
    assert task.id == "the-cart"


def test_defaults_count_for_tasks_without_their_own_value() -> None:
    first, second = tasks_in(
        """\
defaults:
  verify: make test
  scope: [src]
  limits: {minutes: 30, tokens: 10}
tasks:
  - {id: a, prompt: x}
  - {id: b, prompt: x, verify: make b, scope: [lib], limits: {tokens: 20}}
"""
    )
    assert (first.verify, first.scope) == ("make test", ("src",))
    assert (second.verify, second.scope) == ("make b", ("lib",))
    assert first.limits == TaskLimits(minutes=30, tokens=10)
    assert second.limits == TaskLimits(minutes=30, tokens=20)


def test_numbers_and_words_of_yaml_are_ids_as_they_are_written() -> None:
    tasks = tasks_in(
        "tasks:\n  - {id: 007, prompt: 42}\n  - {id: on, prompt: x, depends_on: [007]}"
    )
    assert [(task.id, task.prompt) for task in tasks] == [("007", "42"), ("on", "x")]
    assert tasks[1].depends_on == ("007",)


def test_an_anchor_repeats_a_value() -> None:
    tasks = tasks_in("tasks:\n  - {prompt: a, scope: &s [src]}\n  - {prompt: b, scope: *s}\n")
    assert [task.scope for task in tasks] == [("src",), ("src",)]


KEYS = "title, scope, verify, priority, model, host, limits"
ENTRY_KEYS = f"{KEYS}, id, prompt, depends_on"
IDS = (
    "cannot be an id; allowed: letters, digits, dots, dashes and underscores, a letter or digit "
    "first, no two dots together, no dot or .lock at the end;"
)

MISTAKES = {
    "an empty file": ("", "1: tasks is missing; expected a list of texts or mappings"),
    "no task": (
        "tasks: []\n",
        "1: tasks: holds no task; write one under `tasks:`, for example `- Fix the failing tests`",
    ),
    "an empty key": (
        "tasks:\n",
        "1: tasks: holds no task; write one under `tasks:`, for example `- Fix the failing tests`",
    ),
    "a list at the top": (
        "- a\n",
        "1: a list is not allowed here; expected a mapping with tasks, defaults",
    ),
    "a mapping of tasks": (
        "tasks:\n  a: b\n",
        "1: tasks: a mapping is not allowed here; expected a list of texts or mappings",
    ),
    "an unknown key at the top": (
        "task: []\ntasks: [a]\n",
        "1: task: unknown key; did you mean tasks? allowed: tasks, defaults",
    ),
    "an unknown key": (
        "tasks:\n  - prompt: a\n    depend_on: []\n",
        f"3: tasks[0].depend_on: unknown key; did you mean depends_on? allowed: {ENTRY_KEYS}",
    ),
    "an id for all": (
        "defaults: {id: a}\ntasks: [x]\n",
        f"1: defaults.id: unknown key; allowed: {KEYS}",
    ),
    "a number for a task": (
        "tasks:\n  - 42\n",
        f"2: tasks[0]: 42 is not allowed; expected a text or a mapping with {ENTRY_KEYS}",
    ),
    "nothing for a task": (
        "tasks:\n  -\n",
        (
            "2: tasks[0]: nothing is written here; expected a text or a mapping with "
            f"{ENTRY_KEYS}"
        ),
    ),
    "no prompt": (
        "tasks:\n  - id: a\n",
        "2: tasks[0]: prompt is missing; expected a text of 1 to 100,000 characters",
    ),
    "an empty prompt": (
        "tasks:\n  - ''\n",
        "2: tasks[0].prompt: '' is not allowed; expected a text of 1 to 100,000 characters",
    ),
    "a blank prompt": (
        "tasks:\n  - {id: a, prompt: ' '}\n",
        "2: tasks[0].prompt: holds only blanks; say what the agent is to do",
    ),
    "a prompt without end": (
        f"tasks:\n  - {{id: a, prompt: '{'x' * 100_001}'}}\n",
        (
            f"2: tasks[0].prompt: '{'x' * 40}…' is not allowed; "
            "expected a text of 1 to 100,000 characters"
        ),
    ),
    "a word for a number": (
        "tasks:\n  - prompt: a\n    priority: high\n",
        (
            "3: tasks[0].priority: 'high' is not allowed; "
            "expected a whole number from -1000 to 1000"
        ),
    ),
    "a negative limit": (
        "tasks:\n  - prompt: a\n    limits:\n      minutes: -1\n",
        "4: tasks[0].limits.minutes: -1 is not allowed; expected a number, at least 0",
    ),
    "one dependency without a list": (
        "tasks: [{prompt: a, depends_on: b}]\n",
        "1: tasks[0].depends_on: 'b' is not allowed; expected a list of texts",
    ),
    "a dependency that is a mapping": (
        "tasks:\n  - prompt: a\n    depends_on: [{b: c}]\n",
        "3: tasks[0].depends_on[0]: a mapping is not allowed here; expected a text",
    ),
    "a bad id": (
        "tasks:\n  - {id: my task, prompt: a}\n",
        f"2: tasks[0].id: 'my task' {IDS} my-task would do",
    ),
    "an id that leads out": (
        "tasks:\n  - {id: ../x, prompt: a}\n",
        f"2: tasks[0].id: '../x' {IDS} x would do",
    ),
    "an id that git refuses": (
        "tasks:\n  - {id: a.lock, prompt: a}\n",
        f"2: tasks[0].id: 'a.lock' {IDS} a-lock would do",
    ),
    "a long id": (
        f"tasks:\n  - {{id: {'x' * 61}, prompt: a}}\n",
        f"2: tasks[0].id: '{'x' * 60}…' is longer than {LONGEST_ID} characters",
    ),
    "an id twice": (
        "tasks:\n  - {id: a, prompt: x}\n  - {id: a, prompt: y}\n",
        "3: tasks[1].id: a is already the id of the task in line 2",
    ),
    "ids that differ by capital letters": (
        "tasks:\n  - {id: Cart, prompt: x}\n  - {id: cart, prompt: y}\n",
        "3: tasks[1].id: cart differs from Cart in line 2 only by capital letters",
    ),
    "a prompt twice": (
        "tasks:\n  - Fix it\n  - fix it!\n",
        "3: tasks[1]: gets the id fix-it, as the task in line 2; write another `id:` for one",
    ),
    "an unknown dependency": (
        "tasks:\n  - {id: build, prompt: x}\n  - prompt: y\n    depends_on: [bild]\n",
        (
            "4: tasks[1].depends_on[0]: there is no task 'bild' in this file; "
            "did you mean build?"
        ),
    ),
    "a dependency like no other": (
        "tasks:\n  - {id: build, prompt: x, depends_on: [zzz]}\n",
        "2: tasks[0].depends_on[0]: there is no task 'zzz' in this file; there are: build",
    ),
    "a task that depends on itself": (
        "tasks:\n  - {id: a, prompt: x, depends_on: [a]}\n",
        "2: tasks[0].depends_on[0]: a cannot depend on itself",
    ),
    "a cycle": (
        (
            "tasks:\n  - {id: x, prompt: x, depends_on: [a]}\n"
            "  - {id: a, prompt: x, depends_on: [b]}\n  - {id: b, prompt: x, depends_on: [a]}\n"
        ),
        "3: tasks[1].depends_on: these tasks wait for each other: a -> b -> a",
    ),
    "an unknown host": (
        "tasks:\n  - {prompt: x, host: claud}\n",
        (
            "2: tasks[0].host: 'claud' is not a host that Handrail knows; "
            "did you mean claude? allowed: claude, python"
        ),
    ),
    "an unknown host for all": (
        "defaults: {host: hal}\ntasks: [x]\n",
        (
            "1: defaults.host: 'hal' is not a host that Handrail knows; "
            "allowed: claude, python"
        ),
    ),
    "a scope outside": (
        "tasks:\n  - {prompt: x, scope: [src, ../other]}\n",
        (
            "2: tasks[0].scope[1]: '../other' leads out of the work tree; "
            "write a path inside of it, such as src/**"
        ),
    ),
    "an absolute scope": (
        "defaults: {scope: [/etc]}\ntasks: [x]\n",
        (
            "1: defaults.scope[0]: '/etc' leads out of the work tree; "
            "write a path inside of it, such as src/**"
        ),
    ),
    "a null character": (
        'tasks:\n  - {prompt: x, verify: "make\\0test"}\n',
        "2: tasks[0].verify: holds a null character; write it without",
    ),
    "a key twice": (
        "tasks:\n  - id: a\n    prompt: x\n    id: b\n",
        "4: tasks.id: is given twice, first in line 2",
    ),
    "no YAML": (
        "tasks: [a\n",
        "2: not YAML: did not find expected ',' or ']'",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_with_file_line_key_and_what_is_allowed(text: str, said: str) -> None:
    assert problems(text) == [f"tasks.yaml:{said}"]


def test_all_mistakes_are_told_at_once_in_the_order_of_their_lines() -> None:
    told = problems(
        "tasks:\n  - {id: a, prompt: x, depends_on: [b]}\n  - {id: 'b c', prompt: ''}\n  - 7\n"
    )
    assert [each.split(": ")[0] for each in told] == [
        "tasks.yaml:2",
        "tasks.yaml:3",
        "tasks.yaml:3",
        "tasks.yaml:4",
    ]


def test_each_of_several_cycles_is_told() -> None:
    pairs = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")]
    text = "".join(f"  - {{id: {one}, prompt: x, depends_on: [{two}]}}\n" for one, two in pairs)
    told = problems(f"tasks:\n{text}")
    assert [each.rsplit(": ", 1)[1] for each in told] == ["a -> b -> a", "c -> d -> c"]


# --- files that are no tasks.yaml


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"tasks:\n  - \xff\xfe\n", ":2: is not UTF-8 text"),
        (b"#" * 1_000_001, ": is larger than 1 MB"),
        (b"tasks:\n  - \x07\n", ":2: holds a control character"),
    ],
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "tasks.yaml"
    file.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_task_file(file)
    assert str(caught.value) == f"{file}{said}"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file"):
        read_task_file(tmp_path / "tasks.yaml")
    with pytest.raises(ConfigError, match="is not a file"):
        read_task_file(tmp_path)


def test_aliases_of_aliases_come_to_an_end() -> None:
    levels = [f"  l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 9)]
    (told,) = problems("\n".join(["defaults:", "  l0: &l0 [x]", *levels, "tasks: [*l8]"]))
    assert "holds more than 50000 values" in told


def test_too_many_tasks_are_refused() -> None:
    (told,) = problems("tasks:\n" + "  - x\n" * (MAX_TASKS + 1))
    assert told == f"tasks.yaml:{MAX_TASKS + 2}: tasks: holds more than {MAX_TASKS} tasks"


def test_a_long_prompt_repeated_by_aliases_comes_to_an_end() -> None:
    text = "tasks:\n  - &p '" + "x " * 40_000 + "'\n" + "  - *p\n" * 2000
    told = problems(text)
    assert len(told) == 2000
    assert all("gets the id" in each for each in told)


def test_many_unknown_dependencies_come_to_an_end() -> None:
    items = "".join(f"  - {{id: t{n}, prompt: x, depends_on: [u{n}]}}\n" for n in range(2000))
    told = problems(f"tasks:\n{items}")
    assert len(told) == 2000
    assert "did you mean" in told[0] or "there are" in told[0]
    assert told[-1].endswith("there is no task 'u1999' in this file")


# --- any tasks


TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), max_size=60
)
IDS_OF_TASKS = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)


@st.composite
def written_tasks(draw: st.DrawFn) -> tuple[Task, ...]:
    names = draw(st.lists(IDS_OF_TASKS, min_size=1, max_size=6, unique=True))
    return tuple(
        Task(
            id=name,
            title=draw(TEXTS),
            prompt=draw(TEXTS.filter(str.strip)),
            scope=tuple(draw(st.lists(st.sampled_from(["src", "a/**", "*.py"]), max_size=2))),
            verify=draw(TEXTS),
            depends_on=tuple(draw(st.lists(st.sampled_from(names[:index]), max_size=3)))
            if index
            else (),
            priority=draw(st.integers(-1000, 1000)),
            model=draw(TEXTS),
            host=draw(st.sampled_from(["", "claude"])),
            limits=TaskLimits(
                iterations=draw(st.integers(0, 100)),
                minutes=draw(st.floats(0, 1000, allow_nan=False)),
            ),
        )
        for index, name in enumerate(names)
    )


@given(written_tasks())
def test_what_is_written_is_read(tasks: tuple[Task, ...]) -> None:
    plain = {"tasks": [msgspec.to_builtins(task) for task in tasks]}
    assert tasks_in(yaml.safe_dump(plain, allow_unicode=False)) == tasks


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["tasks", "defaults", "id", "prompt", "depends_on", "limits", "x"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=15,
    )
)
def test_anything_else_is_read_or_refused_with_a_place(value: object) -> None:
    tasks, told = read_or_problems(yaml.safe_dump({"tasks": value}))
    assert bool(tasks) != bool(told)
    assert all(problem.origin.line for problem in told)
    assert all(is_task_id(task.id) and task.prompt.strip() for task in tasks)


def read_or_problems(text: str) -> tuple[tuple[Task, ...], tuple[ConfigProblem, ...]]:
    try:
        return tasks_in(text), ()
    except ConfigError as error:
        return (), error.problems


@given(st.text(max_size=200).filter(str.strip))
def test_an_id_made_from_any_text_is_an_id(text: str) -> None:
    assert is_task_id(id_from_text(text))
    assert id_from_text(text) == id_from_text(text)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Fix the tests", "fix-the-tests"),
        ("v1.2: release!", "v1-2-release"),
        ("x" * 80, "x" * 40 + "-"),
        ("Fix the café", "fix-the-cafe-"),
        ("修复测试", "task-"),
        (
            "Count the items in the cart of the shop, then show them",
            "count-the-items-in-the-cart-of-the-shop-",
        ),
    ],
)
def test_an_id_keeps_the_words_of_its_text(text: str, made: str) -> None:
    """A text that does not fit gets six more characters, so that it differs from others."""
    shown = id_from_text(text)
    assert shown == made if not made.endswith("-") else shown.startswith(made)
    assert len(shown) == len(made) + 6 * made.endswith("-")
