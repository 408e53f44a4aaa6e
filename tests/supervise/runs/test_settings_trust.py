"""What a project's handrail.yaml loosens counts after a person has confirmed it, and not before."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from handrail.model import Decision
from handrail.model.event import RunStarted, SettingsChanged
from handrail.supervise.runs.settings_trust import (
    SettingsTrust,
    confirm_settings,
    repository_of,
    trust_of,
    trusted_settings,
    untrusted_notice,
)
from tests.supervise.supervision_setup import MORE_THAN_A_LOOK, RUN, SupervisionSetup

OFF = "step_reviewer: {enabled: false}\n"
HARM = "rm -rf .git"


def decide(bed: SupervisionSetup, command: str, call: str) -> Decision:
    return bed.do(bed.bash(command, call)).decision


# --- the record --------------------------------------------------------------------------------


@pytest.fixture
def machine(supervision: SupervisionSetup) -> SupervisionSetup:
    """A project whose file loosens something."""
    supervision.settings(OFF, confirmed=False)
    return supervision


def is_withheld(bed: SupervisionSetup, folder: Path | None = None) -> bool:
    return bool(trusted_settings(str(folder or bed.path), bed.environ).withheld)


def test_a_confirmed_content_counts(machine: SupervisionSetup) -> None:
    assert is_withheld(machine)
    confirm_settings(str(machine.path), machine.environ)
    assert not is_withheld(machine)


def test_the_record_is_for_its_owner_alone(machine: SupervisionSetup) -> None:
    confirm_settings(str(machine.path), machine.environ)
    mode = os.stat(trust_of(machine.environ).path).st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_another_content_has_to_be_confirmed_again(machine: SupervisionSetup) -> None:
    confirm_settings(str(machine.path), machine.environ)
    machine.settings(OFF + "attended: always\n", confirmed=False)
    assert is_withheld(machine)


def test_an_earlier_content_stays_confirmed(machine: SupervisionSetup) -> None:
    """Who goes from branch to branch is asked once for each content."""
    confirm_settings(str(machine.path), machine.environ)
    machine.settings(OFF + "attended: always\n")
    machine.settings(OFF, confirmed=False)
    assert not is_withheld(machine)


def test_the_same_content_in_another_project_is_not_confirmed(machine: SupervisionSetup) -> None:
    confirm_settings(str(machine.path), machine.environ)
    (machine.elsewhere / ".git").mkdir()
    (machine.elsewhere / "handrail.yaml").write_text(OFF)
    assert is_withheld(machine, machine.elsewhere)


def test_a_link_to_a_confirmed_file_of_another_project_is_not_confirmed(
    machine: SupervisionSetup,
) -> None:
    confirm_settings(str(machine.path), machine.environ)
    (machine.elsewhere / ".git").mkdir()
    (machine.elsewhere / "handrail.yaml").symlink_to(machine.path / "handrail.yaml")
    assert is_withheld(machine, machine.elsewhere)


def test_work_trees_of_one_repository_share_the_answer(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "HANDRAIL_HOME": str(tmp_path / "state")}
    shop = tmp_path / "shop"
    person = ["-c", "user.name=You", "-c", "user.email=you@example.com"]
    git = ["git", *person, "-C", str(shop)]
    subprocess.run(["git", "init", "-q", str(shop)], check=True)
    (shop / "handrail.yaml").write_text(OFF)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "start"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "beside")], check=True)
    confirm_settings(str(shop), environ)
    found = trusted_settings(str(tmp_path / "beside"), environ)
    assert found.laxer
    assert not found.withheld


def test_without_git_the_folder_is_the_project(tmp_path: Path) -> None:
    file = tmp_path / "handrail.yaml"
    file.write_text(OFF)
    assert repository_of(str(file)) == str(tmp_path)


def test_rules_in_a_file_of_their_own_belong_to_the_content(machine: SupervisionSetup) -> None:
    rule = "{name: no-make, decision: block, says: not here, commands: [make]}"
    (machine.path / "rules.yaml").write_text(f"rules: [{rule}]\n")
    machine.settings("step_reviewer: {mode: async, rules: {custom_rules_path: rules.yaml}}\n")
    assert not is_withheld(machine)
    (machine.path / "rules.yaml").write_text("rules: []\n")
    assert is_withheld(machine)


@pytest.mark.parametrize("damage", [b"", b"{", b'{"repositories": 3}', b"\xff"])
def test_a_damaged_record_confirms_nothing_and_says_so(
    machine: SupervisionSetup, damage: bytes
) -> None:
    confirm_settings(str(machine.path), machine.environ)
    record = trust_of(machine.environ)
    Path(record.path).write_bytes(damage)
    assert is_withheld(machine)
    assert record.path in record.problem
    with pytest.raises(OSError, match="delete it"):
        confirm_settings(str(machine.path), machine.environ)


def test_without_a_record_there_is_no_problem(tmp_path: Path) -> None:
    assert SettingsTrust(str(tmp_path)).problem == ""


def test_what_the_user_allows_everywhere_needs_no_other_leave(machine: SupervisionSetup) -> None:
    own = machine.home / ".config" / "handrail"
    own.mkdir(parents=True)
    (own / "handrail.yaml").write_text(OFF)
    assert not is_withheld(machine)


def test_a_stricter_file_needs_no_leave(supervision: SupervisionSetup) -> None:
    supervision.settings("scope: [src]\nlimits: {actions: 9}\n", confirmed=False)
    found = trusted_settings(str(supervision.path), supervision.environ)
    assert found.laxer == ()
    assert found.config.limits.actions == 9


def test_the_notice_names_the_first_setting_and_the_command(machine: SupervisionSetup) -> None:
    machine.settings(OFF + "attended: always\n", confirmed=False)
    notice = untrusted_notice(trusted_settings(str(machine.path), machine.environ).withheld)
    assert "attended and 1 more" in notice
    assert notice.endswith("handrail config trust")


# --- runs --------------------------------------------------------------------------------------


def test_a_run_in_a_project_that_nobody_confirmed_is_reviewed(machine: SupervisionSetup) -> None:
    assert decide(machine, HARM, "a") is Decision.BLOCK


def test_what_such_a_file_forbids_counts(supervision: SupervisionSetup) -> None:
    supervision.settings(f"{OFF}limits: {{actions: 1}}\n", confirmed=False)
    assert decide(supervision, "ls", "a") is Decision.ALLOW
    assert decide(supervision, "ls", "b") is Decision.BLOCK


def test_a_run_in_a_confirmed_project_is_free(supervision: SupervisionSetup) -> None:
    supervision.settings(OFF)
    assert decide(supervision, HARM, "a") is Decision.ALLOW


def test_of_two_accounts_of_a_program_the_worse_one_counts(supervision: SupervisionSetup) -> None:
    supervision.settings("programs: {rm: {harmless: '-r|-f'}}\n", confirmed=False)
    assert decide(supervision, "rm -rf /srv", "a") is Decision.BLOCK
    supervision.settings("programs: {frob: {facts: [{does: destroy}]}}\n", confirmed=False)
    supervision.runs.renew(RUN)
    assert decide(supervision, "frob all", "b") is not Decision.ALLOW


def test_a_new_daemon_keeps_to_the_stricter_settings(machine: SupervisionSetup) -> None:
    machine.run.record(RunStarted(machine.clock(), "claude", str(machine.path), "startup"))
    machine.restart()
    assert decide(machine, HARM, "a") is Decision.BLOCK


def confirm(bed: SupervisionSetup) -> None:
    confirm_settings(str(bed.path), bed.environ)
    bed.ticks.advance(MORE_THAN_A_LOOK)


def test_a_confirmed_freedom_counts_from_the_next_prompt_on(machine: SupervisionSetup) -> None:
    machine.run.record(RunStarted(machine.clock(), "claude", str(machine.path), "startup"))
    machine.do(machine.bash("ls", "first"))
    confirm(machine)
    assert decide(machine, HARM, "a") is Decision.BLOCK
    machine.runs.renew_if_confirmed(RUN)
    assert decide(machine, HARM, "b") is Decision.ALLOW
    machine.restart()
    assert decide(machine, f"{HARM} x", "c") is Decision.ALLOW


def test_a_prompt_brings_in_nothing_that_nobody_has_confirmed(machine: SupervisionSetup) -> None:
    machine.do(machine.bash("ls", "first"))
    machine.settings(OFF + "attended: always\n", confirmed=False)
    machine.runs.renew_if_confirmed(RUN)
    assert decide(machine, HARM, "a") is Decision.BLOCK


def test_a_laxer_file_in_mid_run_is_told_with_the_command(supervision: SupervisionSetup) -> None:
    supervision.do(supervision.bash("ls", "first"))
    supervision.settings("limits: {actions: 9}\nattended: always\n", confirmed=False)
    alarm = supervision.do(supervision.bash("ls", "a")).alarm
    assert alarm.startswith("handrail.yaml was changed: ")
    assert "handrail config trust" in alarm
    told = [each for each in supervision.events() if isinstance(each, SettingsChanged)]
    assert told[-1].refused.endswith("when a person confirms them")
