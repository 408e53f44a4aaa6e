"""Settings are those on the disk, or the last good ones; the scope stays where the run began."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from handrail.config import resolve_scope
from handrail.model import Decision
from handrail.supervise.runs import project as room
from handrail.supervise.runs.project import Project, Projects
from tests.project_settings import write_confirmed
from tests.supervise.supervision_setup import MORE_THAN_A_LOOK, SupervisionSetup

pytestmark = pytest.mark.slow

LIMIT = "limits: {actions: 7}\n"
BROKEN = "goal: shop\nlimits: {actions: many}\n"
RULES = "step_reviewer: {rules: {custom_rules_path: rules.yaml}}\n"
RULE = "rules: [{name: no-make, decision: block, says: not here, commands: [make]}]\n"


def at(bed: SupervisionSetup, folder: Path | None = None) -> Project:
    """The project as it is after a while."""
    bed.ticks.advance(MORE_THAN_A_LOOK)
    return bed.projects.at(str(folder or bed.path))


def actions(project: Project) -> int:
    return project.config.limits.actions


def decision(
    bed: SupervisionSetup, project: Project, command: str, cwd: Path | None = None
) -> Decision:
    return project.reviewer.review(bed.bash(command, cwd=cwd)).decision


# --- settings that change ----------------------------------------------------------------------


def test_settings_appear_change_and_vanish(supervision: SupervisionSetup) -> None:
    file = supervision.path / "handrail.yaml"
    seen = [actions(at(supervision))]
    for text in (LIMIT, "limits: {actions: 8}\n"):
        file.write_text(text)
        seen.append(actions(at(supervision)))
    file.unlink()
    seen.append(actions(at(supervision)))
    assert seen == [0, 7, 8, 0]


def test_settings_that_a_person_confirms_while_they_are_read_count_the_next_time(
    supervision: SupervisionSetup,
) -> None:
    class Interrupted(Projects):
        def _open(self, folder: str, before: Project | None) -> Project:
            opened = super()._open(folder, before)
            write_confirmed(supervision.path, "attended: always\n", supervision.environ)
            return opened

    supervision.projects = Interrupted(supervision.environ, now=supervision.ticks)
    (supervision.path / "handrail.yaml").write_text("attended: always\n")
    assert at(supervision).config.attended != "always"
    assert at(supervision).config.attended == "always"


def test_the_users_settings_are_noticed(supervision: SupervisionSetup) -> None:
    assert actions(at(supervision)) == 0
    file = supervision.home / ".config" / "handrail" / "handrail.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(LIMIT)
    assert actions(at(supervision)) == 7


def test_settings_nearer_to_the_folder_are_noticed(supervision: SupervisionSetup) -> None:
    inside = supervision.path / "notes"
    (supervision.path / "handrail.yaml").write_text(LIMIT)
    assert actions(at(supervision, inside)) == 7
    (inside / "handrail.yaml").write_text("limits: {actions: 9}\n")
    assert actions(at(supervision, inside)) == 9


def test_a_changed_file_of_rules_is_noticed(supervision: SupervisionSetup) -> None:
    rules = supervision.path / "rules.yaml"
    rules.write_text("rules: []\n")
    (supervision.path / "handrail.yaml").write_text(RULES)
    assert decision(supervision, at(supervision), "make") is not Decision.BLOCK
    rules.write_text(RULE)
    assert decision(supervision, at(supervision), "make") is Decision.BLOCK


@pytest.mark.parametrize("name", [".env", ".env.local", ".env.production"])
def test_a_changed_env_file_is_noticed(supervision: SupervisionSetup, name: str) -> None:
    secret = "s3cret-Value_1234"
    assert secret in at(supervision).redactor.text(secret)
    (supervision.path / name).write_text(f"API_SECRET={secret}\n")
    assert secret not in at(supervision).redactor.text(secret)
    (supervision.path / name).unlink()
    assert secret in at(supervision).redactor.text(secret)


def test_a_file_that_looks_the_same_but_was_replaced_is_noticed(
    supervision: SupervisionSetup,
) -> None:
    file = supervision.path / "handrail.yaml"
    file.write_text("limits: {actions: 7}\n")
    before = os.stat(file)
    assert actions(at(supervision)) == 7
    file.write_text("limits: {actions: 8}\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert actions(at(supervision)) == 8


def test_files_are_looked_at_once_a_second(supervision: SupervisionSetup) -> None:
    first = at(supervision)
    (supervision.path / "handrail.yaml").write_text(LIMIT)
    supervision.ticks.advance(0.9)
    assert supervision.projects.at(str(supervision.path)) is first
    supervision.ticks.advance(0.2)
    assert actions(supervision.projects.at(str(supervision.path))) == 7


def test_what_was_read_stays_as_long_as_the_settings_mean_the_same(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings(LIMIT)
    first = at(supervision)
    supervision.settings(f"# a comment\n{LIMIT}")
    assert at(supervision).reviewer is first.reviewer


# --- settings that are broken ------------------------------------------------------------------


def test_the_last_good_settings_stay_in_force(supervision: SupervisionSetup) -> None:
    supervision.settings(LIMIT)
    assert at(supervision).problem == ""
    supervision.settings(BROKEN)
    project = at(supervision)
    assert actions(project) == 7
    assert project.settled
    assert project.problem.startswith("handrail.yaml:2: limits.actions: ")


def test_good_settings_take_over_again(supervision: SupervisionSetup) -> None:
    for text, problem, count in ((LIMIT, "", 7), (BROKEN, "handrail.yaml:2", 7), (LIMIT, "", 7)):
        supervision.settings(text)
        project = at(supervision)
        assert (project.problem[:15], actions(project)) == (problem, count)


def test_where_nothing_good_was_before_the_defaults_stand_in(supervision: SupervisionSetup) -> None:
    supervision.settings(BROKEN)
    project = at(supervision)
    assert not project.settled
    assert project.problem.startswith("handrail.yaml:2: limits.actions: ")
    assert actions(project) == 0
    supervision.settings(LIMIT)
    assert (at(supervision).settled, at(supervision).problem, actions(at(supervision))) == (
        True,
        "",
        7,
    )


def test_settings_that_broke_and_then_vanish_are_the_defaults(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings(BROKEN)
    assert not at(supervision).settled
    (supervision.path / "handrail.yaml").unlink()
    assert at(supervision).settled


def test_a_file_of_rules_that_was_broken_from_the_start_is_noticed_when_it_is_right(
    supervision: SupervisionSetup,
) -> None:
    rules = supervision.path / "rules.yaml"
    rules.write_text("rules: [nonsense]\n")
    (supervision.path / "handrail.yaml").write_text(RULES)
    assert at(supervision).problem.startswith("rules.yaml:1")
    rules.write_text(RULE)
    assert at(supervision).problem == ""
    assert decision(supervision, at(supervision), "make") is Decision.BLOCK


def test_several_problems_are_told_as_one_line(supervision: SupervisionSetup) -> None:
    supervision.settings("limits: {actions: many, minutes: few}\nnonsense: 1\n")
    problem = at(supervision).problem
    assert "\n" not in problem
    assert problem.endswith("(and 2 more)")


def test_secrets_are_known_although_the_settings_are_broken(supervision: SupervisionSetup) -> None:
    (supervision.path / ".env").write_text("API_SECRET=s3cret-Value_1234\n")
    supervision.settings(BROKEN)
    assert "s3cret" not in at(supervision).redactor.text("s3cret-Value_1234")


def test_a_run_goes_on_with_the_last_good_settings_and_one_alarm(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings(LIMIT)
    supervision.do(supervision.bash("ls", "a"))
    supervision.settings(BROKEN)
    first, second = (
        supervision.do(supervision.bash("make", "b")),
        supervision.do(supervision.bash("make", "c")),
    )
    assert (first.decision, second.decision) == (Decision.ALLOW, Decision.ALLOW)
    assert first.alarm.startswith("Handrail's settings cannot be used: handrail.yaml:2: ")
    assert first.alarm.endswith("Those from before stay in force. Fix: handrail config check "
                                "says what is wrong.")  # fmt: skip
    assert second.alarm == ""
    supervision.settings(LIMIT)
    assert supervision.do(supervision.bash("make", "d")).alarm == ""
    supervision.settings(BROKEN)
    assert supervision.do(supervision.bash("make", "e")).alarm != ""


def test_a_run_without_good_settings_may_only_read(supervision: SupervisionSetup) -> None:
    supervision.settings(BROKEN)
    read, change = (
        supervision.do(supervision.bash("ls", "a")),
        supervision.do(supervision.bash("make", "b")),
    )
    assert read.decision is Decision.ALLOW
    assert "handrail.yaml:2" in read.alarm
    assert change.decision is Decision.BLOCK
    assert "handrail.yaml:2: limits.actions: " in change.reason
    assert "handrail config check" in change.alternative
    assert change.alarm == ""


# --- the scope ---------------------------------------------------------------------------------


def test_an_agent_that_goes_elsewhere_does_not_take_its_scope_along(
    supervision: SupervisionSetup,
) -> None:
    there = supervision.elsewhere
    assert decision(supervision, at(supervision, there), "rm -rf notes", there) is Decision.MODIFY
    assert decision(supervision, at(supervision), "rm -rf notes", there) is Decision.BLOCK
    assert decision(supervision, at(supervision), "cd ../other && rm -rf notes") is Decision.BLOCK


def test_a_run_keeps_its_scope_and_settings_when_the_host_reports_another_folder(
    supervision: SupervisionSetup,
) -> None:
    supervision.settings(LIMIT)
    (supervision.elsewhere / "handrail.yaml").write_text("scope: ['~']\nlimits: {actions: 0}\n")
    supervision.run.before(supervision.bash("ls", "a"))
    moved = supervision.get("r1", supervision.elsewhere)
    assert actions(moved.project) == 7
    verdict = moved.before(supervision.bash("rm -rf notes", "b", supervision.elsewhere))
    assert verdict.decision is Decision.BLOCK
    supervision.restart()
    assert actions(supervision.get("r1", supervision.elsewhere).project) == 7


def test_a_scope_that_somebody_wrote_is_taken_as_it_is(supervision: SupervisionSetup) -> None:
    supervision.settings("scope: ['~/project', '~/other']\n")
    assert (
        decision(supervision, at(supervision), "rm -rf notes", supervision.elsewhere)
        is Decision.MODIFY
    )


def test_a_folder_with_signs_of_a_glob_in_its_name_is_just_that_folder(
    supervision: SupervisionSetup,
) -> None:
    project = at(supervision, Path("/srv/a[b]*{c}"))
    scope = resolve_scope(project.config, "/", supervision.environ)
    assert scope.contains("/srv/a[b]*{c}/notes")
    assert not scope.contains("/srv/abx{c}/notes")
    assert not scope.contains("/srv/other/notes")


# --- folders that are none ---------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["", "relative", "a\0b", "/a\0b", "/\ud800", "~"])
def test_what_is_no_folder_does_not_become_the_daemons_own(
    supervision: SupervisionSetup, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(supervision.path)
    supervision.settings(LIMIT)
    project = supervision.projects.at(folder)
    assert actions(project) == 0
    assert project.config.scope == supervision.projects.at("/").config.scope
    assert str(supervision.path) not in project.config.scope


def test_a_folder_that_never_was_has_the_defaults(supervision: SupervisionSetup) -> None:
    project = at(supervision, supervision.home / "nowhere")
    assert (project.problem, project.settled) == ("", True)


def test_a_folder_that_is_gone_leaves_its_settings_in_force(supervision: SupervisionSetup) -> None:
    supervision.settings(LIMIT)
    assert actions(at(supervision)) == 7
    supervision.path.rename(supervision.home / "moved")
    project = at(supervision)
    assert actions(project) == 7
    assert project.problem == f"{supervision.path}/.: no such file or directory"
    (supervision.home / "moved").rename(supervision.path)
    assert at(supervision).problem == ""


@pytest.fixture
def nobody(supervision: SupervisionSetup) -> Iterator[SupervisionSetup]:
    """The rest of the test is run by somebody who may not enter the project's folder."""
    if os.geteuid():
        supervision.path.chmod(0)
        yield supervision
        supervision.path.chmod(0o755)
    else:
        os.seteuid(65534)
        yield supervision
        os.seteuid(0)


def test_a_folder_that_may_not_be_entered_is_not_taken_for_one_without_settings(
    nobody: SupervisionSetup,
) -> None:
    project = at(nobody)
    assert not project.settled
    assert project.problem == f"{nobody.path}/.: permission denied"


@pytest.mark.parametrize("kind", ["folder", "loop", "pipe", "dead link"])
def test_something_else_in_the_place_of_the_settings_is_a_problem(
    supervision: SupervisionSetup, kind: str
) -> None:
    _put(kind, supervision.path / "handrail.yaml")
    project = at(supervision)
    assert project.problem.startswith("handrail.yaml")
    assert not project.settled


@pytest.mark.parametrize("kind", ["folder", "loop", "pipe", "dead link"])
def test_something_else_in_the_place_of_the_env_file_does_no_harm(
    supervision: SupervisionSetup, kind: str
) -> None:
    _put(kind, supervision.path / ".env")
    assert at(supervision).problem == ""


def test_of_a_very_large_env_file_only_the_beginning_is_read(supervision: SupervisionSetup) -> None:
    first = "FIRST_SECRET=first-S3cret_value\n"
    (supervision.path / ".env").write_text(
        first + "#" * 10_000_000 + "\nLAST_SECRET=last-S3cret_value\n"
    )
    text = at(supervision).redactor.text("first-S3cret_value last-S3cret_value")
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
def test_no_settings_however_odd_break_a_project(
    supervision: SupervisionSetup, text: bytes
) -> None:
    (supervision.path / "handrail.yaml").write_bytes(text)
    (supervision.path / ".env").write_bytes(text)
    assert decision(supervision, at(supervision), "rm -rf /srv/data") in Decision


# --- how many ----------------------------------------------------------------------------------


def test_only_so_many_projects_are_kept(
    supervision: SupervisionSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_PROJECTS", 3)
    folders = [supervision.home / f"p{number}" for number in range(5)]
    projects = [at(supervision, folder) for folder in folders]
    kept = list(supervision.projects)
    assert [project in kept for project in projects] == [False, False, True, True, True]


def test_the_project_that_was_not_used_longest_is_let_go(
    supervision: SupervisionSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_PROJECTS", 2)
    one, two, three = (supervision.home / name for name in ("one", "two", "three"))
    first = at(supervision, one)
    at(supervision, two)
    supervision.projects.at(str(one))
    at(supervision, three)
    assert supervision.projects.at(str(one)) is first


def test_a_project_that_was_let_go_keeps_no_readings_and_still_works(
    supervision: SupervisionSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_PROJECTS", 1)
    project = at(supervision)
    decision(supervision, project, "make")
    assert len(project.reviewer.cache) == 1
    at(supervision, supervision.elsewhere)
    assert decision(supervision, project, "make") is Decision.ALLOW
    assert len(project.reviewer.cache) == 0


def _put(kind: str, path: Path) -> None:
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path.name if kind == "loop" else "nowhere")


def test_projects_that_read_alike_share_what_was_read(supervision: SupervisionSetup) -> None:
    one, other = at(supervision), at(supervision, supervision.elsewhere)
    decision(supervision, one, "make")
    assert one.reviewer.cache is other.reviewer.cache


def test_a_project_with_programs_of_its_own_reads_for_itself(supervision: SupervisionSetup) -> None:
    own = "programs: {frob: {same_as: make}}\n"
    write_confirmed(supervision.elsewhere, own, supervision.environ)
    assert (
        at(supervision).reviewer.cache is not at(supervision, supervision.elsewhere).reviewer.cache
    )
