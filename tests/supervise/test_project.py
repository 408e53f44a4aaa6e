"""Settings are those on the disk, or the last good ones; the scope stays where the run began."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from handrail.config import resolve_scope
from handrail.model import Decision
from handrail.supervise import project as room
from handrail.supervise.project import Project
from tests.supervise.bed import MORE_THAN_A_LOOK, Bed

pytestmark = pytest.mark.slow

LIMIT = "limits: {actions: 7}\n"
BROKEN = "goal: shop\nlimits: {actions: many}\n"
RULES = "step_reviewer: {rules: {custom_rules_path: rules.yaml}}\n"
RULE = "rules: [{name: no-make, decision: block, says: not here, commands: [make]}]\n"


def at(bed: Bed, folder: Path | None = None) -> Project:
    """The project as it is after a while."""
    bed.ticks.advance(MORE_THAN_A_LOOK)
    return bed.projects.at(str(folder or bed.path))


def actions(project: Project) -> int:
    return project.config.limits.actions


def decision(bed: Bed, project: Project, command: str, cwd: Path | None = None) -> Decision:
    return project.reviewer.review(bed.bash(command, cwd=cwd)).decision


# --- settings that change ----------------------------------------------------------------------


def test_settings_appear_change_and_vanish(bed: Bed) -> None:
    file = bed.path / "handrail.yaml"
    seen = [actions(at(bed))]
    for text in (LIMIT, "limits: {actions: 8}\n"):
        file.write_text(text)
        seen.append(actions(at(bed)))
    file.unlink()
    seen.append(actions(at(bed)))
    assert seen == [0, 7, 8, 0]


def test_the_users_settings_are_noticed(bed: Bed) -> None:
    assert actions(at(bed)) == 0
    file = bed.home / ".config" / "handrail" / "handrail.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(LIMIT)
    assert actions(at(bed)) == 7


def test_settings_nearer_to_the_folder_are_noticed(bed: Bed) -> None:
    inside = bed.path / "notes"
    (bed.path / "handrail.yaml").write_text(LIMIT)
    assert actions(at(bed, inside)) == 7
    (inside / "handrail.yaml").write_text("limits: {actions: 9}\n")
    assert actions(at(bed, inside)) == 9


def test_a_changed_file_of_rules_is_noticed(bed: Bed) -> None:
    rules = bed.path / "rules.yaml"
    rules.write_text("rules: []\n")
    (bed.path / "handrail.yaml").write_text(RULES)
    assert decision(bed, at(bed), "make") is not Decision.BLOCK
    rules.write_text(RULE)
    assert decision(bed, at(bed), "make") is Decision.BLOCK


@pytest.mark.parametrize("name", [".env", ".env.local", ".env.production"])
def test_a_changed_env_file_is_noticed(bed: Bed, name: str) -> None:
    secret = "s3cret-Value_1234"
    assert secret in at(bed).redactor.text(secret)
    (bed.path / name).write_text(f"API_SECRET={secret}\n")
    assert secret not in at(bed).redactor.text(secret)
    (bed.path / name).unlink()
    assert secret in at(bed).redactor.text(secret)


def test_a_file_that_looks_the_same_but_was_replaced_is_noticed(bed: Bed) -> None:
    file = bed.path / "handrail.yaml"
    file.write_text("limits: {actions: 7}\n")
    before = os.stat(file)
    assert actions(at(bed)) == 7
    file.write_text("limits: {actions: 8}\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert actions(at(bed)) == 8


def test_files_are_looked_at_once_a_second(bed: Bed) -> None:
    first = at(bed)
    (bed.path / "handrail.yaml").write_text(LIMIT)
    bed.ticks.advance(0.9)
    assert bed.projects.at(str(bed.path)) is first
    bed.ticks.advance(0.2)
    assert actions(bed.projects.at(str(bed.path))) == 7


def test_what_was_read_stays_as_long_as_the_settings_mean_the_same(bed: Bed) -> None:
    bed.settings(LIMIT)
    first = at(bed)
    bed.settings(f"# a comment\n{LIMIT}")
    assert at(bed).reviewer is first.reviewer


# --- settings that are broken ------------------------------------------------------------------


def test_the_last_good_settings_stay_in_force(bed: Bed) -> None:
    bed.settings(LIMIT)
    assert at(bed).problem == ""
    bed.settings(BROKEN)
    project = at(bed)
    assert actions(project) == 7
    assert project.settled
    assert project.problem.startswith("handrail.yaml:2: limits.actions: ")


def test_good_settings_take_over_again(bed: Bed) -> None:
    for text, problem, count in ((LIMIT, "", 7), (BROKEN, "handrail.yaml:2", 7), (LIMIT, "", 7)):
        bed.settings(text)
        project = at(bed)
        assert (project.problem[:15], actions(project)) == (problem, count)


def test_where_nothing_good_was_before_the_defaults_stand_in(bed: Bed) -> None:
    bed.settings(BROKEN)
    project = at(bed)
    assert not project.settled
    assert project.problem.startswith("handrail.yaml:2: limits.actions: ")
    assert actions(project) == 0
    bed.settings(LIMIT)
    assert (at(bed).settled, at(bed).problem, actions(at(bed))) == (True, "", 7)


def test_settings_that_broke_and_then_vanish_are_the_defaults(bed: Bed) -> None:
    bed.settings(BROKEN)
    assert not at(bed).settled
    (bed.path / "handrail.yaml").unlink()
    assert at(bed).settled


def test_a_file_of_rules_that_was_broken_from_the_start_is_noticed_when_it_is_right(
    bed: Bed,
) -> None:
    rules = bed.path / "rules.yaml"
    rules.write_text("rules: [nonsense]\n")
    (bed.path / "handrail.yaml").write_text(RULES)
    assert at(bed).problem.startswith("rules.yaml:1")
    rules.write_text(RULE)
    assert at(bed).problem == ""
    assert decision(bed, at(bed), "make") is Decision.BLOCK


def test_several_problems_are_told_as_one_line(bed: Bed) -> None:
    bed.settings("limits: {actions: many, minutes: few}\nnonsense: 1\n")
    problem = at(bed).problem
    assert "\n" not in problem
    assert problem.endswith("(and 2 more)")


def test_secrets_are_known_although_the_settings_are_broken(bed: Bed) -> None:
    (bed.path / ".env").write_text("API_SECRET=s3cret-Value_1234\n")
    bed.settings(BROKEN)
    assert "s3cret" not in at(bed).redactor.text("s3cret-Value_1234")


def test_a_run_goes_on_with_the_last_good_settings_and_one_alarm(bed: Bed) -> None:
    bed.settings(LIMIT)
    bed.do(bed.bash("ls", "a"))
    bed.settings(BROKEN)
    first, second = bed.do(bed.bash("make", "b")), bed.do(bed.bash("make", "c"))
    assert (first.decision, second.decision) == (Decision.ALLOW, Decision.ALLOW)
    assert first.alarm.startswith("Handrail's settings cannot be used: handrail.yaml:2: ")
    assert first.alarm.endswith("Those from before stay in force. Fix: handrail config check "
                                "says what is wrong.")  # fmt: skip
    assert second.alarm == ""
    bed.settings(LIMIT)
    assert bed.do(bed.bash("make", "d")).alarm == ""
    bed.settings(BROKEN)
    assert bed.do(bed.bash("make", "e")).alarm != ""


def test_a_run_without_good_settings_may_only_read(bed: Bed) -> None:
    bed.settings(BROKEN)
    read, change = bed.do(bed.bash("ls", "a")), bed.do(bed.bash("make", "b"))
    assert read.decision is Decision.ALLOW
    assert "handrail.yaml:2" in read.alarm
    assert change.decision is Decision.BLOCK
    assert "handrail.yaml:2: limits.actions: " in change.reason
    assert "handrail config check" in change.alternative
    assert change.alarm == ""


# --- the scope ---------------------------------------------------------------------------------


def test_an_agent_that_goes_elsewhere_does_not_take_its_scope_along(bed: Bed) -> None:
    there = bed.elsewhere
    assert decision(bed, at(bed, there), "rm -rf notes", there) is Decision.MODIFY
    assert decision(bed, at(bed), "rm -rf notes", there) is Decision.BLOCK
    assert decision(bed, at(bed), "cd ../other && rm -rf notes") is Decision.BLOCK


def test_a_run_keeps_its_scope_and_settings_when_the_host_reports_another_folder(bed: Bed) -> None:
    bed.settings(LIMIT)
    (bed.elsewhere / "handrail.yaml").write_text("scope: ['~']\nlimits: {actions: 0}\n")
    bed.run.before(bed.bash("ls", "a"))
    moved = bed.get("r1", bed.elsewhere)
    assert actions(moved.project) == 7
    verdict = moved.before(bed.bash("rm -rf notes", "b", bed.elsewhere))
    assert verdict.decision is Decision.BLOCK
    bed.restart()
    assert actions(bed.get("r1", bed.elsewhere).project) == 7


def test_a_scope_that_somebody_wrote_is_taken_as_it_is(bed: Bed) -> None:
    bed.settings("scope: ['~/project', '~/other']\n")
    assert decision(bed, at(bed), "rm -rf notes", bed.elsewhere) is Decision.MODIFY


def test_a_folder_with_signs_of_a_glob_in_its_name_is_just_that_folder(bed: Bed) -> None:
    project = at(bed, Path("/srv/a[b]*{c}"))
    scope = resolve_scope(project.config, "/", bed.environ)
    assert scope.contains("/srv/a[b]*{c}/notes")
    assert not scope.contains("/srv/abx{c}/notes")
    assert not scope.contains("/srv/other/notes")


# --- folders that are none ---------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["", "relative", "a\0b", "/a\0b", "/\ud800", "~"])
def test_what_is_no_folder_does_not_become_the_daemons_own(
    bed: Bed, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bed.path)
    bed.settings(LIMIT)
    project = bed.projects.at(folder)
    assert actions(project) == 0
    assert project.config.scope == bed.projects.at("/").config.scope
    assert str(bed.path) not in project.config.scope


def test_a_folder_that_never_was_has_the_defaults(bed: Bed) -> None:
    project = at(bed, bed.home / "nowhere")
    assert (project.problem, project.settled) == ("", True)


def test_a_folder_that_is_gone_leaves_its_settings_in_force(bed: Bed) -> None:
    bed.settings(LIMIT)
    assert actions(at(bed)) == 7
    bed.path.rename(bed.home / "moved")
    project = at(bed)
    assert actions(project) == 7
    assert project.problem == f"{bed.path}/.: no such file or directory"
    (bed.home / "moved").rename(bed.path)
    assert at(bed).problem == ""


@pytest.fixture
def nobody(bed: Bed) -> Iterator[Bed]:
    """The rest of the test is run by somebody who may not enter the project's folder."""
    if os.geteuid():
        bed.path.chmod(0)
        yield bed
        bed.path.chmod(0o755)
    else:
        os.seteuid(65534)
        yield bed
        os.seteuid(0)


def test_a_folder_that_may_not_be_entered_is_not_taken_for_one_without_settings(
    nobody: Bed,
) -> None:
    project = at(nobody)
    assert not project.settled
    assert project.problem == f"{nobody.path}/.: permission denied"


@pytest.mark.parametrize("kind", ["folder", "loop", "pipe", "dead link"])
def test_something_else_in_the_place_of_the_settings_is_a_problem(bed: Bed, kind: str) -> None:
    _put(kind, bed.path / "handrail.yaml")
    project = at(bed)
    assert project.problem.startswith("handrail.yaml")
    assert not project.settled


@pytest.mark.parametrize("kind", ["folder", "loop", "pipe", "dead link"])
def test_something_else_in_the_place_of_the_env_file_does_no_harm(bed: Bed, kind: str) -> None:
    _put(kind, bed.path / ".env")
    assert at(bed).problem == ""


def test_of_a_very_large_env_file_only_the_beginning_is_read(bed: Bed) -> None:
    first = "FIRST_SECRET=first-S3cret_value\n"
    (bed.path / ".env").write_text(first + "#" * 10_000_000 + "\nLAST_SECRET=last-S3cret_value\n")
    text = at(bed).redactor.text("first-S3cret_value last-S3cret_value")
    assert "first-" not in text
    assert "last-" in text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
@example(b"\xff\xfe")
@example(b"a: &a [*a]")
@example(b"- " * 500)
@example(b"scope: ['']")
@example(b"scope: ['\\0']")
@example(b"programs: {x: {facts: [{does: destroy, when: '('}]}}")
def test_no_settings_however_odd_break_a_project(bed: Bed, text: bytes) -> None:
    (bed.path / "handrail.yaml").write_bytes(text)
    (bed.path / ".env").write_bytes(text)
    assert decision(bed, at(bed), "rm -rf /srv/data") in Decision


# --- how many ----------------------------------------------------------------------------------


def test_only_so_many_projects_are_kept(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MAX_PROJECTS", 3)
    folders = [bed.home / f"p{number}" for number in range(5)]
    projects = [at(bed, folder) for folder in folders]
    kept = list(bed.projects)
    assert [project in kept for project in projects] == [False, False, True, True, True]


def test_the_project_that_was_not_used_longest_is_let_go(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_PROJECTS", 2)
    one, two, three = (bed.home / name for name in ("one", "two", "three"))
    first = at(bed, one)
    at(bed, two)
    bed.projects.at(str(one))
    at(bed, three)
    assert bed.projects.at(str(one)) is first


def test_a_project_that_was_let_go_keeps_no_readings_and_still_works(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_PROJECTS", 1)
    project = at(bed)
    decision(bed, project, "make")
    assert len(project.reviewer.cache) == 1
    at(bed, bed.elsewhere)
    assert decision(bed, project, "make") is Decision.ALLOW
    assert len(project.reviewer.cache) == 0


def _put(kind: str, path: Path) -> None:
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path.name if kind == "loop" else "nowhere")


def test_projects_that_read_alike_share_what_was_read(bed: Bed) -> None:
    one, other = at(bed), at(bed, bed.elsewhere)
    decision(bed, one, "make")
    assert one.reviewer.cache is other.reviewer.cache


def test_a_project_with_programs_of_its_own_reads_for_itself(bed: Bed) -> None:
    (bed.elsewhere / "handrail.yaml").write_text("programs: {frob: {same_as: make}}\n")
    assert at(bed).reviewer.cache is not at(bed, bed.elsewhere).reviewer.cache
