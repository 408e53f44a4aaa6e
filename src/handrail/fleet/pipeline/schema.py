"""The keys of a pipeline file.

The descriptions are the reference: the JSON Schema and the error messages come from them.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from handrail.config.schema import Config
from handrail.model.decodable import decodable
from handrail.model.host import known_hosts

MAX_STEPS = 100
COMMAND = "command"
SCRIPTED = "scripted"
AGENTS = {host.pipeline_step: host.name for host in known_hosts() if host.pipeline_step}
"""The hosts whose agents a step can run, by the type of the step."""


class PipelineStep(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The keys of every step."""

    name: Annotated[
        str, Meta(description="Its name: letters, digits, _ and -. Without one: step1, step2 …")
    ] = ""
    condition: Annotated[
        str,
        Meta(
            description="When it runs: ==, !=, and, or, not, success(), failed(). Without one: if "
            "no step before it has failed."
        ),
    ] = field(default="", name="if")
    retries: Annotated[
        int, Meta(description="More tries after a failure. A refusal is final.", ge=0, le=10)
    ] = 0
    continue_on_error: Annotated[
        bool, Meta(description="Whether the pipeline goes on, and can still succeed, without it.")
    ] = False


@decodable
class ShellStep(PipelineStep, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A command, reviewed like the command of an agent."""

    command: Annotated[
        str,
        Meta(
            description="The command line, for bash. Variables reach it as $name, $step_output …",
            min_length=1,
        ),
    ]
    seconds: Annotated[float, Meta(description="How long it may take.", gt=0, le=86_400)] = 600.0


@decodable
class AgentStep(PipelineStep, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An agent that works until it says it is done, as with `handrail run`."""

    prompt: Annotated[
        str,
        Meta(description="Its task. {{ name }} and {{ step.output }} are filled in.", min_length=1),
    ]
    model: Annotated[str, Meta(description="The model; empty: the host's own choice.")] = ""
    max_iterations: Annotated[int, Meta(description="Prompts at most.", ge=1)] = 10
    max_minutes: Annotated[float, Meta(description="Minutes of work; 0: no limit.", ge=0)] = 0.0
    max_cost_usd: Annotated[float, Meta(description="US dollars; 0: no limit.", ge=0)] = 0.0
    max_tokens: Annotated[int, Meta(description="Tokens; 0: no limit.", ge=0)] = 0


class ScriptedCall(Struct, frozen=True, forbid_unknown_fields=True):
    """One tool call of a script."""

    tool: Annotated[
        Literal["Bash", "Read", "Write", "Edit"], Meta(description="The tool, as agents name it.")
    ]
    input: Annotated[dict[str, str], Meta(description="Its input: `command`, `file_path` …")]


@decodable
class ScriptStep(PipelineStep, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Tool calls without a model, reviewed and run one after the other: for tests and demos."""

    calls: Annotated[
        tuple[ScriptedCall, ...], Meta(description="The tool calls, in order.", min_length=1)
    ]
    seconds: Annotated[float, Meta(description="How long one call may take.", gt=0, le=86_400)] = (
        600.0
    )


AnyStep = ShellStep | AgentStep | ScriptStep

STEP_TYPES: dict[str, type[ShellStep] | type[AgentStep] | type[ScriptStep]] = {
    **dict.fromkeys(AGENTS, AgentStep),
    COMMAND: ShellStep,
    SCRIPTED: ScriptStep,
}
"""The keys of each type of step. `library/pipelines/` has a row with what runs it."""


class PipelineFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A pipeline: steps that run one after the other."""

    name: Annotated[str, Meta(description="Its name; empty: that of the file.")] = ""
    description: Annotated[str, Meta(description="What it is for; for people.")] = ""
    vars: Annotated[
        dict[str, str],
        Meta(description="Variables and their values; `--var name=value` replaces one."),
    ] = {}
    steps: Annotated[
        tuple[PipelineStep, ...], Meta(description="The steps, in order.", min_length=1)
    ] = ()
    safety: Annotated[
        Config,
        Meta(
            description="Settings for the runs of this pipeline, as in handrail.yaml. What they "
            "loosen counts after `handrail pipeline trust`."
        ),
    ] = Config()
