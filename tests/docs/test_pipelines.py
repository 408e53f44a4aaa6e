"""The page about pipelines: its examples run, and it names every key, field and exit code."""

import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO

import pytest
from tests.server.daemon_sandbox import DaemonSandbox

from handrail import BlockedAction, PipelineResult, ReviewSummary, StepResult
from handrail.cli.pipelines.shown_run import EXIT_CODES
from handrail.config.validation import section_fields
from handrail.fleet.pipeline.reading import Pipeline, read_pipeline
from handrail.fleet.pipeline.schema import STEP_TYPES
from handrail.fleet.pipeline.variables import STEP_VALUES
from handrail.library.pipelines.execution import run_pipeline

pytestmark = pytest.mark.slow

Page = Callable[[str], str]


@pytest.fixture
def text(page: Page) -> str:
    return page("docs/pipelines.md")


@pytest.fixture
def sandbox() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as made:
        yield made


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_every_example_is_valid(text: str) -> None:
    found = [read_pipeline(block, "/p/ci.yaml") for block in blocks(text, "yaml")]
    assert len(found) >= 5
    assert {step.type for pipeline in found for step in pipeline.steps} == set(STEP_TYPES)


def without_agents(pipeline: Pipeline) -> bool:
    return all(step.type != "claude_code" for step in pipeline.steps)


def test_examples_without_an_agent_run(text: str, sandbox: DaemonSandbox) -> None:
    (sandbox.project / "Makefile").write_text("test ship:\n\t@echo $@\n")
    ran = 0
    for block in blocks(text, "yaml"):
        if without_agents(read_pipeline(block, "/p/ci.yaml")):
            result = run_pipeline(block, folder=sandbox.project, environ=sandbox.environ)
            assert result.ok, result
            ran += 1
    assert ran == 2
    assert (sandbox.project / "hello.txt").read_text() == "hello"


def test_the_program_does_what_it_says(
    text: str, sandbox: DaemonSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in sandbox.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(sandbox.project)
    (block,) = blocks(text, "python")
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(block, "docs/pipelines.md", "exec"), {})  # noqa: S102 - our own page
    expected = re.findall(r"# (.+)$", block, re.MULTILINE)
    assert printed.getvalue().splitlines() == expected


def test_every_key_field_value_and_code_is_named(text: str) -> None:
    keys = {key for struct in STEP_TYPES.values() for key in section_fields(struct)}
    fields = {
        name
        for struct in (PipelineResult, StepResult, BlockedAction, ReviewSummary)
        for name in struct.__struct_fields__
    }
    missing = [name for name in (*keys, *fields, *STEP_TYPES) if f"`{name}`" not in text]
    assert missing == []
    assert [name for name in STEP_VALUES if f"`build.{name}`" not in text] == []
    codes = {int(code) for code in re.findall(r"(?m)^\| (\d+) \|", text)}
    assert codes == {*EXIT_CODES.values(), 2, 130}
