"""Rewritten commands do what was asked for, and lose nothing: shown by running them."""

import pytest

from handrail.model import Decision
from tests.review.conftest import ReviewProject

pytestmark = pytest.mark.slow

DELETIONS = [
    "rm -rf notes",
    "rm -r notes/",
    "rm -f notes/plan.md",
    "rm notes/plan.md 'notes/b c.md'",
    "rm -rf build notes",
    "rm -rf notes/*",
    "rm -rf ./notes",
    "rm -rf {notes,src}",
    "cd notes && rm -f plan.md && ls",
    "D=notes; rm -rf $D",
    'D="notes"; rm -rf "$D"',
    'for f in notes/*.md; do rm "$f"; done',
    "for d in notes src; do rm -rf $d; done",
    'clean() { rm -rf "$1"; }; clean notes',
    "false || rm -rf notes",
    "if true; then rm -rf notes; fi",
    "rm -rf notes 2>/dev/null",
    "FOO=1 rm -rf notes",
    "rm -rf -- notes",
    "rm -rf notes; echo done",
    "ls > list.txt && rm -rf notes",
]


@pytest.mark.parametrize("command", DELETIONS)
def test_a_deletion_in_the_project_becomes_a_move_that_can_be_taken_back(
    project: ReviewProject, command: str
) -> None:
    before = project.tree()
    review = project.review(command)
    assert review.decision is Decision.MODIFY
    assert review.rewrite is not None
    done = project.run(str(review.rewrite.input["command"]))
    assert done.returncode == 0, done.stderr
    gone = {name: text for name, text in before.items() if name not in project.tree()}
    assert gone, "nothing was removed"
    saved = [file.read_text() for file in project.state.rglob("*") if file.is_file()]
    assert sorted(saved) == sorted(
        text for name, text in gone.items() if not name.startswith("build/")
    )


@pytest.mark.parametrize("command", [c for c in DELETIONS if "$" not in c and "*" not in c])
def test_the_restore_line_brings_everything_back(project: ReviewProject, command: str) -> None:
    before = {name: text for name, text in project.tree().items() if not name.startswith("build")}
    rewrite = project.review(command).rewrite
    assert rewrite is not None
    project.run(str(rewrite.input["command"]))
    restored = project.run(rewrite.restore)
    assert restored.returncode == 0, restored.stderr
    assert before.items() <= project.tree().items()


@pytest.mark.parametrize("command", DELETIONS)
def test_a_rewritten_command_is_not_refused_itself(project: ReviewProject, command: str) -> None:
    rewrite = project.review(command).rewrite
    assert rewrite is not None
    again = project.review(str(rewrite.input["command"]))
    assert again.decision <= Decision.WARN, again.reasons


@pytest.mark.parametrize(
    "command",
    ["rm -rf build", "rm -rf src/__pycache__", "rm -f nothing.txt", "rm -rf /tmp/handrail-none"],
)
def test_what_a_build_makes_again_or_is_not_there_is_simply_deleted(
    project: ReviewProject, command: str
) -> None:
    assert project.review(command).decision is Decision.ALLOW


def test_a_folder_with_a_build_name_that_git_tracks_is_kept(project: ReviewProject) -> None:
    (project.path / "dist").mkdir()
    (project.path / "dist" / "release.sh").write_text("echo release\n")
    project.run("git add -f dist && git commit -qm dist")
    assert project.review("rm -rf dist").decision is Decision.MODIFY


def test_a_failed_condition_does_not_run_the_move(project: ReviewProject) -> None:
    rewrite = project.review("true || rm -rf notes").rewrite
    assert rewrite is not None
    project.run(str(rewrite.input["command"]))
    assert "notes/plan.md" in project.tree()


DISCARDS = [
    "git reset --hard",
    "git reset --hard HEAD",
    "git checkout -- src/app.py",
    "git checkout .",
    "git restore src/app.py",
    "git checkout -f main",
    "git switch --discard-changes main",
    "cd src && git restore app.py",
    "git -C src checkout -- app.py",
]


@pytest.mark.parametrize("command", DISCARDS)
def test_uncommitted_work_is_kept_before_it_is_thrown_away(
    project: ReviewProject, command: str
) -> None:
    (project.path / "src" / "app.py").write_text("print('hours of work')\n")
    review = project.review(command)
    assert review.decision is Decision.MODIFY
    assert review.rewrite is not None
    done = project.run(str(review.rewrite.input["command"]))
    assert done.returncode == 0, done.stderr
    assert project.tree()["src/app.py"] == "print('app')\n"
    restored = project.run(review.rewrite.restore)
    assert restored.returncode == 0, restored.stderr
    assert project.tree()["src/app.py"] == "print('hours of work')\n"


@pytest.mark.parametrize("command", ["git clean -fd", "git clean -fdx", "git clean -f -d notes"])
def test_untracked_files_are_packed_before_git_clean(project: ReviewProject, command: str) -> None:
    review = project.review(command)
    assert review.rewrite is not None
    done = project.run(str(review.rewrite.input["command"]))
    assert done.returncode == 0, done.stderr
    assert "notes/plan.md" not in project.tree()
    project.run(review.rewrite.restore)
    assert project.tree()["notes/plan.md"] == "the plan\n"


def test_git_clean_with_nothing_to_clean_still_works(project: ReviewProject) -> None:
    project.run("git add -A && git commit -qm all")
    rewrite = project.review("git clean -fd").rewrite
    assert rewrite is not None
    assert project.run(str(rewrite.input["command"])).returncode == 0


def test_a_dropped_stash_can_be_brought_back(project: ReviewProject) -> None:
    (project.path / "src" / "app.py").write_text("print('stashed')\n")
    project.run("git stash")
    rewrite = project.review("git stash drop").rewrite
    assert rewrite is not None
    assert project.run(str(rewrite.input["command"])).returncode == 0
    assert not project.run("git stash list").stdout
    project.run(rewrite.restore)
    project.run("git stash pop")
    assert project.tree()["src/app.py"] == "print('stashed')\n"


def test_a_deleted_branch_can_be_brought_back(project: ReviewProject) -> None:
    project.run("git checkout -q -b feature && git commit -q --allow-empty -m work")
    project.run("git checkout -q main")
    rewrite = project.review("git branch -D feature").rewrite
    assert rewrite is not None
    assert project.run(str(rewrite.input["command"])).returncode == 0
    assert "feature" not in project.run("git branch --list").stdout
    assert project.run(rewrite.restore).returncode == 0
    assert project.run("git log -1 --format=%s feature").stdout == "work\n"


@pytest.mark.parametrize(
    ("command", "safe"),
    [
        ("git push --force", "git push --force-with-lease"),
        ("git push -f origin main", "git push --force-with-lease origin main"),
        ("git push -fu origin main", "git push --force-with-lease -u origin main"),
        ("git push origin +main", "git push --force-with-lease origin main"),
        ("git push --force --force-with-lease", "git push --force-with-lease"),
        ("git -C sub push -f", "git -C sub push --force-with-lease"),
    ],
)
def test_a_forced_push_first_looks_whether_others_pushed(
    project: ReviewProject, command: str, safe: str
) -> None:
    rewrite = project.review(command).rewrite
    assert rewrite is not None
    assert rewrite.input["command"] == safe


@pytest.mark.parametrize(
    "command", ["git push --mirror origin", "git push --delete origin x", "git push origin :x"]
)
def test_a_push_that_deletes_is_blocked_with_an_alternative(
    project: ReviewProject, command: str
) -> None:
    review = project.review(command)
    assert review.decision is Decision.BLOCK
    assert review.alternative


def test_a_lease_stops_a_push_over_the_commits_of_others(project: ReviewProject) -> None:
    remote = project.path.parent / "remote.git"
    other = project.path.parent / "other"
    project.run(f"git init -q --bare {remote} && git remote add origin {remote}")
    project.run("git push -q -u origin main")
    project.run(f"git clone -q {remote} {other} && cd {other} && git checkout -q main")
    project.run(f"cd {other} && echo x > x && git add x && git commit -qm x && git push -q")
    project.run("git commit -q --amend -m changed")
    rewrite = project.review("git push --force origin main").rewrite
    assert rewrite is not None
    assert project.run(str(rewrite.input["command"])).returncode != 0


@pytest.mark.parametrize(
    ("mode", "bits"), [("777", 0o755), ("a+rwx", 0o755), ("0777", 0o755), ("o+w", 0o644)]
)
def test_open_permissions_become_the_least_that_works(
    project: ReviewProject, mode: str, bits: int
) -> None:
    script = project.path / "src" / "app.py"
    script.chmod(0o744 if mode != "o+w" else 0o644)
    rewrite = project.review(f"chmod {mode} src/app.py").rewrite
    assert rewrite is not None
    project.run(str(rewrite.input["command"]))
    assert script.stat().st_mode & 0o777 == bits


@pytest.mark.parametrize("command", ["yes > big.txt", "dd if=/dev/zero of=big.img"])
def test_a_command_without_an_end_gets_a_time_limit(project: ReviewProject, command: str) -> None:
    rewrite = project.review(command).rewrite
    assert rewrite is not None
    assert str(rewrite.input["command"]).startswith("timeout ")


def test_a_command_that_takes_the_whole_disk_at_once_gets_a_size_instead(
    project: ReviewProject,
) -> None:
    review = project.review("fallocate -l 10T big.img")
    assert review.decision is Decision.BLOCK
    assert review.alternative == "Give it a size that fits: `fallocate -l 1G big.img`."
    assert not project.review("fallocate -l 1G big.img").decision.stops
