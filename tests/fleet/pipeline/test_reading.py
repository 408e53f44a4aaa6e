"""Pipeline files: both forms are read, and every mistake has its place and its remedy."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.config import ConfigError
from handrail.fleet.pipeline.reading import given_variables, load_pipeline, read_pipeline
from handrail.fleet.pipeline.schema import AgentStep, ScriptStep, ShellStep

DESTRUCTIVE = """
    name: test_destructive
    steps:
      - type: claude_code
        config:
          prompt: "Delete all files in /tmp"
    """
SAFE = """
    name: test_safe
    steps:
      - type: claude_code
        config:
          prompt: "Read the README file"
    """


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as wrong:
        read_pipeline(text, "/p/ci.yaml", "ci.yaml")
    return [str(problem) for problem in wrong.value.problems]


@pytest.mark.parametrize(
    ("text", "name", "prompt"),
    [
        (DESTRUCTIVE, "test_destructive", "Delete all files in /tmp"),
        (SAFE, "test_safe", "Read the README file"),
    ],
)
def test_the_first_designs_files_are_read(text: str, name: str, prompt: str) -> None:
    pipeline = read_pipeline(text, "/p/ci.yaml")
    (step,) = pipeline.steps
    assert (pipeline.name, step.name, step.type) == (name, "step1", "claude_code")
    assert isinstance(step.keys, AgentStep)
    assert step.keys.prompt == prompt


def test_a_whole_file_is_read() -> None:
    pipeline = read_pipeline(
        """
vars: {branch: main, times: 3}
safety: {limits: {actions: 50}}
steps:
  - {name: build, type: command, command: make, seconds: 5, retries: 2, continue_on_error: true}
  - name: fix
    type: claude_code
    if: failed(build) and branch != 'release'
    prompt: "Mend it on {{ branch }}: {{ build.output }}"
    max_cost_usd: 2
  - name: play
    type: scripted
    config: {calls: [{tool: Write, input: {file_path: a, content: b}}]}
""",
        "/p/ci.yaml",
    )
    assert pipeline.name == "ci"
    assert pipeline.variables == {"branch": "main", "times": "3"}
    assert pipeline.safety is not None
    assert (pipeline.safety.settings, pipeline.safety.line) == ({"limits": {"actions": 50}}, 3)
    build, fix, play = (step.keys for step in pipeline.steps)
    assert isinstance(build, ShellStep)
    assert (build.seconds, build.retries, build.continue_on_error) == (5.0, 2, True)
    assert isinstance(fix, AgentStep)
    assert fix.max_cost_usd == 2.0
    assert isinstance(play, ScriptStep)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "ci.yaml:1: steps is missing; expected a list of steps"),
        ("name: x\n", "ci.yaml:1: steps is missing"),
        ("name: x\nsteps: []\n", "ci.yaml:2: steps is missing"),
        ("- a\n", "ci.yaml:1: a pipeline is a mapping"),
        ("steps: make\n", "ci.yaml:1: steps: expected a list of steps"),
        ("steps:\n- make\n", "ci.yaml:2: steps[0]: expected a mapping"),
        ("steps:\n- {command: make}\n", "ci.yaml:2: steps[0]: type is missing; expected claude_co"),
        (
            "steps:\n- {type: comand, command: make}\n",
            "steps[0].type: 'comand' is no type of a step; did you mean command?",
        ),
        ("steps:\n- {type: command}\n", "ci.yaml:2: steps[0]: command is missing"),
        ("steps:\n- {type: command, command: ''}\n", "expected a text that is not empty"),
        (
            "steps:\n- type: command\n  command: a\n  retry: 3\n",
            "ci.yaml:4: steps[0].retry: unknown key; did you mean retries?",
        ),
        (
            "steps:\n- {type: command, command: a, retries: 99}\n",
            "steps[0].retries: 99 is not allowed; expected a whole number from 0 to 10",
        ),
        ("step: []\n", "ci.yaml:1: step: unknown key; did you mean steps? allowed: name"),
        (
            "steps:\n- {name: a, type: command, command: x}\n- {name: a, type: claude_code}",
            "ci.yaml:3: steps[1]: prompt is missing",
        ),
        (
            "steps:\n- {name: 'a b', type: command, command: a}\n",
            "steps[0].name: 'a b' is not allowed; use letters, digits, _ and -",
        ),
        (
            "steps:\n- {type: command, command: a, config: {command: b}}\n",
            "steps[0].config.command: is given twice, also in line 2",
        ),
        (
            "vars: {x: a}\nsteps:\n- {type: claude_code, prompt: '{{ y }}'}\n",
            "ci.yaml:3: steps[0].prompt: there is no variable 'y'",
        ),
        (
            "steps:\n- {type: claude_code, prompt: '{{ later.output }}'}\n- {name: later}\n",
            "ci.yaml:2: steps[0].prompt: there is no variable 'later.output'",
        ),
        (
            "steps:\n- {type: command, command: a}\n- {type: command, command: b, if: failed(c)}",
            "steps[1].if: column 1: no step before this one is called 'c'; allowed: step1",
        ),
        (
            "steps:\n- type: command\n  command: b\n  if: x == 'y'\n",
            "ci.yaml:4: steps[0].if: column 1: there is no variable 'x'",
        ),
        (
            "steps:\n- type: command\n  command: b\n  if: success() and\n",
            "ci.yaml:4: steps[0].if: column 14: something is missing",
        ),
        ("vars: {PATH: x}\nsteps:\n- {type: command, command: a}\n", "vars.PATH: use a lower-case"),
        ('vars: {x: "a\\0"}\nsteps:\n- {type: command, command: a}\n', "vars.x: holds a NUL"),
        (
            "vars: {a_run: x}\nsteps:\n- {name: a, type: command, command: a}\n",
            "a.run and a_run are both $a_run; rename one",
        ),
        (
            "safety: {limits: {actons: 3}}\nsteps:\n- {type: command, command: a}\n",
            "ci.yaml:1: safety.limits.actons: unknown key; did you mean actions?",
        ),
        (
            "steps:\n- {type: scripted, calls: []}\n",
            "steps[0].calls: Expected `array` of length >= 1",
        ),
        (
            "steps:\n- {type: scripted, calls: [{tool: Edit, input: {file_path: a}}]}\n",
            "steps[0].calls[0].input: Edit takes file_path, old_string, new_string",
        ),
        (
            "steps:\n" + "- {type: command, command: a}\n" * 101,
            "steps: has 101 steps; 100 are allowed",
        ),
    ],
)
def test_a_mistake_has_file_line_key_and_remedy(text: str, says: str) -> None:
    assert any(says in problem for problem in problems(text)), problems(text)


def test_two_steps_cannot_share_a_name() -> None:
    step = "- {name: build, type: command, command: make}\n"
    (says,) = problems(f"steps:\n{step}{step}")
    assert says == "ci.yaml:3: steps[1].name: another step is called build; choose another"


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file() -> None:
    found = problems("stps: 1\nsteps:\n- {type: x}\n- {type: command}\n")
    assert [problem.split(": ")[0] for problem in found] == ["ci.yaml:1", "ci.yaml:3", "ci.yaml:4"]


def test_a_file_that_is_not_there_is_one_problem(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nope.yaml: there is no such file"):
        load_pipeline("nope.yaml", str(tmp_path))


def test_only_known_variables_can_be_given() -> None:
    pipeline = read_pipeline("vars: {a: x}\nsteps: [{type: command, command: a}]", "/p/ci.yaml")
    assert given_variables(pipeline, {"a": "y"}) == {"a": "y"}
    with pytest.raises(ConfigError, match="--var b: ci has no such variable; it has: a"):
        given_variables(pipeline, {"b": "y"})


_NODES = st.recursive(
    st.sampled_from(["a", "command", "claude_code", "scripted", "", 3, None, True, "success()"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                "name type command prompt config calls if vars safety steps tool input".split()
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


def refusals(text: str) -> list[str]:
    try:
        read_pipeline(text, "/p/ci.yaml", "ci.yaml")
    except ConfigError as error:
        return [str(problem) for problem in error.problems]
    return []


@given(_NODES)
def test_anything_is_read_or_refused_with_a_place(node: object) -> None:
    assert all(problem.startswith("ci.yaml:") for problem in refusals(json.dumps({"steps": node})))
