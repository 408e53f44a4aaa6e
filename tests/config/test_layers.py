"""Which layer wins, and where a value is said to come from."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from handrail.config import Config, ConfigError, PipelineSafety, SettingOrigin, load_settings

if TYPE_CHECKING:
    from tests.config.conftest import ScratchMachine

HIGH = "step_reviewer.risk.high_threshold"
USER = ".config/handrail/handrail.yaml"
VARIABLE = "HANDRAIL_STEP_REVIEWER__RISK__HIGH_THRESHOLD"


def risk(high: float, indent: str = "") -> str:
    lines = ("step_reviewer:", "  risk:", f"    high_threshold: {high}")
    return "".join(f"{indent}{line}\n" for line in lines)


def test_without_any_file_all_is_default(machine: "ScratchMachine") -> None:
    settings = machine.load()
    assert settings.config == Config()
    assert {str(origin) for _, _, origin in settings.items()} == {"default"}


def test_each_layer_wins_over_those_below(machine: "ScratchMachine") -> None:
    def winner(environ: dict[str, str], pipeline: Path | None) -> tuple[float, str]:
        settings = machine.load(environ, pipeline=pipeline)
        return settings.config.step_reviewer.risk.high_threshold, str(settings.origin(HIGH))

    assert winner({}, None) == (0.8, "default")
    machine.write(risk(0.81), USER)
    assert winner({}, None) == (0.81, "~/.config/handrail/handrail.yaml:3")
    machine.write("\n" + risk(0.82))
    assert winner({}, None) == (0.82, "handrail.yaml:4")
    pipeline = machine.write("steps: []\nsafety:\n" + risk(0.83, "  "), "shop/ci/flow.yaml")
    assert winner({}, pipeline) == (0.83, "ci/flow.yaml:5")
    assert winner({VARIABLE: "0.84"}, pipeline) == (0.84, VARIABLE)


def test_layers_are_joined_key_by_key(machine: "ScratchMachine") -> None:
    machine.write("goal: ship\nstep_reviewer:\n  mode: async\n", USER)
    machine.write("step_reviewer:\n  cache:\n    max_size: 7\n")
    config = machine.load().config
    assert config.goal == "ship"
    assert config.step_reviewer.mode == "async"
    assert config.step_reviewer.cache.max_size == 7


def test_a_list_replaces_a_list(machine: "ScratchMachine") -> None:
    machine.write("secrets: [a, b]\n", USER)
    machine.write("secrets: [c]\n")
    assert machine.load().config.secrets == ("c",)


def test_programs_of_two_layers_are_both_known(machine: "ScratchMachine") -> None:
    machine.write("programs: {deploy: {values: -e}}\n", USER)
    machine.write("programs: {python3.11: {same_as: python3}}\n")
    settings = machine.load()
    assert sorted(settings.config.programs) == ["deploy", "python3.11"]
    assert str(settings.origin("programs.python3.11.same_as")) == "handrail.yaml:1"


def test_xdg_config_home_wins_over_the_usual_place(machine: "ScratchMachine") -> None:
    machine.write("goal: usual\n", USER)
    machine.write("goal: xdg\n", "xdg/handrail/handrail.yaml")
    assert machine.load({"XDG_CONFIG_HOME": str(machine.home / "xdg")}).config.goal == "xdg"
    assert machine.load({"XDG_CONFIG_HOME": "relative"}).config.goal == "usual"


def test_the_project_file_is_found_from_a_folder_below(machine: "ScratchMachine") -> None:
    machine.write("goal: ship\n")
    below = machine.project / "src" / "deep"
    below.mkdir(parents=True)
    settings = machine.load(cwd=below)
    assert settings.config.goal == "ship"
    assert str(settings.origin("goal")) == "~/shop/handrail.yaml:1"


def test_the_search_ends_at_the_git_work_tree(machine: "ScratchMachine") -> None:
    machine.write("goal: not mine\n", "handrail.yaml")
    assert machine.load().config.goal == ""


def test_the_search_ends_at_home(machine: "ScratchMachine") -> None:
    plain = machine.home / "notes"
    plain.mkdir()
    machine.write("goal: outside\n", "../handrail.yaml")
    assert machine.load(cwd=plain).config.goal == ""
    machine.write("goal: home\n", "handrail.yaml")
    assert machine.load(cwd=plain).config.goal == "home"


def test_outside_of_home_and_git_only_the_folder_itself_counts(
    machine: "ScratchMachine", tmp_path: Path
) -> None:
    """Else anyone could loosen everyone's rules with a /tmp/handrail.yaml."""
    scratch = tmp_path / "scratch" / "x"
    scratch.mkdir(parents=True)
    (tmp_path / "scratch" / "handrail.yaml").write_text("goal: theirs\n")
    assert machine.load(cwd=scratch).config.goal == ""
    (scratch / "handrail.yaml").write_text("goal: mine\n")
    assert machine.load(cwd=scratch).config.goal == "mine"


def test_a_named_file_stands_in_for_the_project_file(machine: "ScratchMachine") -> None:
    machine.write("goal: project\nscope: [src]\n")
    other = machine.write("goal: other\n", "other.yaml")
    config = machine.load(config_path=other).config
    assert (config.goal, config.scope) == ("other", ())


def test_a_named_file_must_exist(machine: "ScratchMachine") -> None:
    with pytest.raises(ConfigError, match=r"^nowhere\.yaml: there is no such file$"):
        machine.load(config_path="nowhere.yaml")


def test_a_pipeline_may_be_given_as_a_mapping(machine: "ScratchMachine") -> None:
    disabled = {"step_reviewer": {"rules": {"disabled": ["limit_file_operations"]}}}
    settings = machine.load(pipeline=PipelineSafety(disabled, "ci/flow.yaml", 7))
    assert settings.config.step_reviewer.rules.disabled == ("limit_file_operations",)
    assert str(settings.origin("step_reviewer.rules.disabled")) == "ci/flow.yaml:7"


def test_a_wrong_pipeline_mapping_is_said_with_its_place(machine: "ScratchMachine") -> None:
    with pytest.raises(ConfigError, match=r"^flow\.yaml:7: goul: unknown key; did you mean goal\?"):
        machine.load(pipeline=PipelineSafety({"goul": "x"}, "flow.yaml", 7))


def test_a_pipeline_without_safety_changes_nothing(machine: "ScratchMachine") -> None:
    flow = machine.write("steps: [{type: claude_code}]\n", "shop/flow.yaml")
    assert machine.load(pipeline=flow).config == Config()


def test_globs_are_relative_to_the_file_they_stand_in(machine: "ScratchMachine") -> None:
    machine.write("scope: [src, ~/data/*, /srv/x/../y]\nsecrets: [keys/prod, '*.pem']\n")
    below = machine.project / "src"
    below.mkdir()
    config = machine.load(cwd=below).config
    assert config.scope == (f"{machine.project}/src", f"{machine.home}/data/*", "/srv/y")
    assert config.secrets == (f"{machine.project}/keys/prod", "*.pem")


def test_rules_of_a_file_come_after_those_written_in_place(machine: "ScratchMachine") -> None:
    rule = "{{name: {}, decision: block, says: no, tools: [Bash]}}"
    machine.write(f"rules:\n- {rule.format('second')}\n", "shop/config/rules.yaml")
    machine.write(
        "step_reviewer:\n  rules:\n    custom_rules_path: ./config/rules.yaml\n"
        f"    custom:\n    - {rule.format('first')}\n"
    )
    settings = machine.load()
    rules = settings.config.step_reviewer.rules
    assert [rule.name for rule in rules.custom] == ["first", "second"]
    assert str(settings.origin("step_reviewer.rules.custom[0]")) == "handrail.yaml:5"
    assert str(settings.origin("step_reviewer.rules.custom[1].name")) == "config/rules.yaml:2"


def test_items_name_every_setting_once(machine: "ScratchMachine") -> None:
    machine.write("programs: {deploy: {values: -e}}\n")
    items = {key: (value, str(origin)) for key, value, origin in machine.load().items()}
    assert items["step_reviewer.cache.ttl_minutes"] == (5, "default")
    assert items["programs.deploy"][1] == "handrail.yaml:1"
    assert "step_reviewer.cache" not in items


def test_an_unknown_key_has_no_origin(machine: "ScratchMachine") -> None:
    assert machine.load().origin("step_reviewer.risk") == SettingOrigin("default")
    with pytest.raises(KeyError):
        machine.load().origin("step_reviewer.rissk")


def test_the_callers_environment_is_the_default(
    machine: "ScratchMachine", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(machine.home))
    monkeypatch.setenv("HANDRAIL_GOAL", "ship")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert load_settings(machine.project).config.goal == "ship"


def test_texts_for_agents_are_checked_with_the_settings(tmp_path: Path) -> None:
    (tmp_path / "texts.yaml").write_text("loop: Stop doing {nonsense}.\n")
    where = "interventions: {soft_correction: {custom_prompts_path: texts.yaml}}\n"
    (tmp_path / "handrail.yaml").write_text(where)
    with pytest.raises(ConfigError, match=r"texts\.yaml:1: loop.*nonsense"):
        load_settings(tmp_path, environ={})


def test_texts_that_are_not_there_are_wrong_where_they_are_named(tmp_path: Path) -> None:
    where = "interventions: {soft_correction: {custom_prompts_path: texts.yaml}}\n"
    (tmp_path / "handrail.yaml").write_text(where)
    with pytest.raises(ConfigError, match=r"handrail\.yaml:1: .*custom_prompts_path.*no such file"):
        load_settings(tmp_path, environ={})
