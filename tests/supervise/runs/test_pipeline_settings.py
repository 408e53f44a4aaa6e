"""A pipeline's `safety:` forbids at once, loosens after a confirmation, and outlives its daemon."""

import pytest

from handrail.config import ConfigError
from handrail.config.layers import pipeline_text
from handrail.config.sources import PipelineSafety
from handrail.model import Decision
from handrail.model.event import LoopBegun, RunStarted
from handrail.supervise.runs.settings_trust import trust_of, trusted_settings
from tests.supervise.supervision_setup import RUN, SupervisionSetup

NO_LS = {"name": "no_ls", "decision": "block", "says": "We do not list.", "commands": ["^ls"]}
STRICT: dict[str, object] = {"step_reviewer": {"rules": {"custom": [NO_LS]}}}
LAX: dict[str, object] = {"step_reviewer": {"enabled": False}}


def safety(bed: SupervisionSetup, settings: dict[str, object]) -> PipelineSafety:
    return PipelineSafety(settings, str(bed.path / "ci.yaml"), 3)


def confirm(bed: SupervisionSetup, pipeline: PipelineSafety) -> None:
    found = trusted_settings(str(bed.path), bed.environ, pipeline)
    trust_of(bed.environ).confirm(pipeline_text(found.written, pipeline))


def test_what_it_forbids_counts_at_once(supervision: SupervisionSetup) -> None:
    found = trusted_settings(
        str(supervision.path), supervision.environ, safety(supervision, STRICT)
    )
    assert [rule.name for rule in found.config.step_reviewer.rules.custom] == ["no_ls"]
    assert found.withheld == ()


def test_what_it_loosens_counts_when_confirmed(supervision: SupervisionSetup) -> None:
    folder, environ = str(supervision.path), supervision.environ
    pipeline = safety(supervision, LAX)
    found = trusted_settings(folder, environ, pipeline)
    assert found.config.step_reviewer.enabled
    assert [each.key for each in found.withheld] == ["step_reviewer.enabled"]
    confirm(supervision, pipeline)
    assert not trusted_settings(folder, environ, pipeline).config.step_reviewer.enabled
    other = safety(supervision, {**LAX, "attended": "always"})
    assert trusted_settings(folder, environ, other).withheld


def test_an_unconfirmed_project_stays_strict_under_a_confirmed_pipeline(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings("attended: always\n", confirmed=False)
    pipeline = safety(supervision, LAX)
    confirm(supervision, pipeline)
    found = trusted_settings(str(supervision.path), supervision.environ, pipeline)
    assert found.config.step_reviewer.enabled
    assert found.config.attended == "auto"


def test_a_rules_file_that_it_names_belongs_to_the_confirmation(
    supervision: SupervisionSetup,
) -> None:
    rules = supervision.path / "rules.yaml"
    rules.write_text("rules: []\n")
    named: dict[str, object] = {
        "step_reviewer": {"enabled": False, "rules": {"custom_rules_path": "rules.yaml"}}
    }
    pipeline = safety(supervision, named)
    confirm(supervision, pipeline)
    folder, environ = str(supervision.path), supervision.environ
    assert not trusted_settings(folder, environ, pipeline).withheld
    rules.write_text("rules: [] # another content\n")
    assert trusted_settings(folder, environ, pipeline).withheld


def test_a_wrong_setting_names_its_place(supervision: SupervisionSetup) -> None:
    with pytest.raises(ConfigError, match=r"ci.yaml:3: goul: unknown key"):
        trusted_settings(
            str(supervision.path), supervision.environ, safety(supervision, {"goul": "x"})
        )


def begin(bed: SupervisionSetup) -> None:
    """Begin a driven run of a pipeline; its session starts afterwards."""
    pipeline = safety(bed, STRICT)
    bed.run.project = bed.projects.under_pipeline(str(bed.path), pipeline)
    bed.run.record(
        LoopBegun(
            bed.clock.now,
            "work",
            3,
            cwd=str(bed.path),
            safety=STRICT,
            safety_file=pipeline.file,
        )
    )


def start_session(bed: SupervisionSetup) -> None:
    bed.runs.renew(RUN, str(bed.path))
    bed.run.record(RunStarted(bed.clock.now, "claude", str(bed.path), "startup"))


def lists(bed: SupervisionSetup, call: str) -> bool:
    return bed.do(bed.bash("ls", call)).decision is not Decision.BLOCK


def test_a_session_of_the_run_starts_with_them(supervision: SupervisionSetup) -> None:
    begin(supervision)
    start_session(supervision)
    assert not lists(supervision, "t1")


def test_the_next_daemon_knows_them(supervision: SupervisionSetup) -> None:
    begin(supervision)
    start_session(supervision)
    supervision.restart()
    assert not lists(supervision, "t1")


def test_a_session_that_starts_under_the_next_daemon_has_them(
    supervision: SupervisionSetup,
) -> None:
    begin(supervision)
    supervision.restart()
    assert supervision.run.state.loop is not None
    start_session(supervision)
    assert not lists(supervision, "t1")


def test_settings_that_change_meanwhile_only_forbid_more(supervision: SupervisionSetup) -> None:
    begin(supervision)
    start_session(supervision)
    supervision.settings("limits: {actions: 1}\n")
    assert not lists(supervision, "t1")
    assert supervision.do(supervision.bash("cat notes/plan.md", "t2")).decision is Decision.BLOCK


def test_other_runs_do_not_have_them(supervision: SupervisionSetup) -> None:
    begin(supervision)
    other = supervision.get("r2")
    assert other.project.config.step_reviewer.rules.custom == ()
