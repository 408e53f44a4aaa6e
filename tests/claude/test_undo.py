"""What the real Claude Code did to the files by shell commands is undone, byte for byte."""

import json
import os
import shutil
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.model.event import RestoreAsked, RolledBack
from handrail.testing.model_server import Answer, ModelRequest, ModelTurn, Say, Script, ToolCall
from tests.claude.prompted_session import talking
from tests.claude.sandbox import FinishedSession
from tests.claude.supervised import STOPPED, SupervisedSandbox, bash, supervised, until

Files = dict[bytes, tuple[int, bytes]]
"""By path: mode and content."""
Record = dict[str, object]

ODD = b"odd \n\xe9 'name'.md"
PUT_BACK = "A person has put files back"


def files(folder: Path) -> Files:
    """All there is below a folder, links as what they say."""
    found: Files = {}
    top = os.fsencode(folder)
    for above, folders, names in os.walk(top):
        for name in (*names, *folders):
            path = os.path.join(above, name)
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                found[os.path.relpath(path, top)] = mode, os.readlink(path)
            elif stat.S_ISREG(mode):
                found[os.path.relpath(path, top)] = mode, Path(os.fsdecode(path)).read_bytes()
    return found


def work(world: SupervisedSandbox) -> Files:
    """The files of the project."""
    return {path: file for path, file in files(world.repo).items() if path[:5] != b".git/"}


class Ran(NamedTuple):
    """A command of Handrail that a person has run."""

    code: int
    said: str
    left: Files
    """The project's files after it."""
    kept_git: bool
    """The user's own repository is byte for byte as before it."""


def run(world: SupervisedSandbox, *args: str) -> Ran:
    git = files(world.repo / ".git")
    done = subprocess.run(
        [world.bin / "handrail", *args],
        cwd=world.repo,
        env=world.bed.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    kept = files(world.repo / ".git") == git
    return Ran(done.returncode, " ".join((done.stdout + done.stderr).split()), work(world), kept)


def records(world: SupervisedSandbox) -> list[Record]:
    """All checkpoints, the newest first."""
    found: list[Record] = json.loads(world.handrail("checkpoints", "--json"))
    return found


def seeing(
    seen: list[Files], world: SupervisedSandbox, answer: Answer
) -> Callable[[ModelRequest], Answer]:
    """An answer of the model, and how the files were when it was asked."""

    def step(_: ModelRequest) -> Answer:
        seen.append(work(world))
        return answer

    return step


# Three ways to delete, undone one after the other, and done again

DELETIONS = [
    bash("find . -name '*.md' -delete", "by find"),
    bash("rm -rf notes", "by rm"),
    bash("""python3 -c "import os; os.remove('.env.local')" """, "by code"),
]


class Deleted(NamedTuple):
    """A session that deletes, and what a person does about it."""

    world: SupervisedSandbox
    session: FinishedSession
    seen: list[Files]
    """Before each of the deletions, and after the last."""
    kept_git: bool
    records: list[Record]
    undone: list[Ran]
    redone: list[Ran]


def write_work(repo: Path) -> None:
    """Work that is in no commit, of all kinds."""
    (repo / "handrail.yaml").write_text("checkpoints: {include: ['.env.local']}\n")
    (repo / ".gitignore").write_text(".env*\n")
    (repo / ".env.local").write_text("COLOUR=blue\n")
    (repo / "notes").mkdir()
    (repo / "notes" / "plan.md").write_text("a plan\n")
    (repo / "notes" / "raw.bin").write_bytes(bytes(range(256)))
    (repo / "private.md").write_text("mine\n")
    (repo / "private.md").chmod(0o600)
    (repo / "run.md").write_text("#!/bin/sh\n")
    (repo / "run.md").chmod(0o755)
    (repo / "link.md").symlink_to("notes/plan.md")
    (repo / "empty.md").touch()
    Path(os.fsdecode(os.path.join(os.fsencode(repo), ODD))).write_bytes(b"odd\0\r\n")


def use_git(world: SupervisedSandbox) -> None:
    """A stash, something staged and a setting, none of which is Handrail's business."""
    person = "-c user.name=Test -c user.email=test@example.invalid"
    script = f"""
        echo stashed >> README.md && git {person} stash -q && echo staged > staged.txt
        git add staged.txt && git config alias.x status && git branch side
    """
    subprocess.run(["sh", "-ec", script], cwd=world.repo, env=world.bed.environ, check=True)


@pytest.fixture(scope="module")
def deleted(claude: Path) -> Iterator[Deleted]:
    with supervised() as world:
        use_git(world)
        write_work(world.repo)
        git = files(world.repo / ".git")
        seen: list[Files] = []
        answers: list[Answer] = [*DELETIONS, Say("Done.")]
        script = [seeing(seen, world, answer) for answer in answers]
        session = world.run("Tidy up.", script)
        yield Deleted(
            world,
            session,
            seen,
            files(world.repo / ".git") == git,
            records(world),
            [run(world, "undo", "--yes") for _ in DELETIONS],
            [run(world, "redo", "--yes") for _ in DELETIONS],
        )


def test_each_deletion_really_ran(deleted: Deleted) -> None:
    assert deleted.session.ran("by find", "by rm", "by code")
    before, found, removed, coded = deleted.seen
    assert {path for path in before if path not in found} == {
        *(b"README.md", b"empty.md", b"link.md", b"notes/plan.md", b"private.md", b"run.md", ODD)
    }
    assert {path for path in found if path not in removed} == {b"notes/raw.bin"}
    assert {path for path in removed if path not in coded} == {b".env.local"}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_each_undo_brings_back_what_one_action_deleted(deleted: Deleted, number: int) -> None:
    undone = deleted.undone[number]
    assert (undone.code, undone.left) == (0, deleted.seen[2 - number])


@pytest.mark.parametrize("number", [0, 1, 2])
def test_each_redo_takes_it_away_again(deleted: Deleted, number: int) -> None:
    redone = deleted.redone[number]
    assert (redone.code, redone.left) == (0, deleted.seen[number + 1])


def test_the_users_own_repository_is_never_touched(deleted: Deleted) -> None:
    assert deleted.kept_git
    assert all(each.kept_git for each in (*deleted.undone, *deleted.redone))


def test_every_checkpoint_says_whose_and_when_it_is(deleted: Deleted) -> None:
    session = deleted.session.result["session_id"]
    taken = [(each["moment"], each["step"]) for each in reversed(deleted.records)]
    assert taken == [
        ("unattended", 0),
        ("after_action", 1),
        ("after_action", 2),
        ("after_action", 3),
    ]
    assert {each["run"] for each in deleted.records} == {session}
    for each in deleted.records:
        talk = each["conversation"]
        assert isinstance(talk, dict)
        assert (talk["host"], talk["session"]) == ("claude", session)


# Two iterations, and a person who works beside them


class Iterations(NamedTuple):
    """What was done in two iterations, and by a person between and after them."""

    world: SupervisedSandbox
    records: list[Record]
    after: Files
    undone: Ran
    """The second iteration."""
    back: Ran
    """To the first prompt."""
    over: Ran
    """The same, whoever has changed files since."""


def overwrite(name: str, text: str) -> ToolCall:
    return bash(f"echo {text} > {name}", f"{name}-{text}")


@pytest.fixture(scope="module")
def iterations(claude: Path) -> Iterator[Iterations]:
    with supervised() as world:
        for name in ("first.txt", "second.txt", "both.txt", "mine.txt"):
            (world.repo / name).write_text("at first\n")
        script: Script = [
            overwrite("first.txt", "one"),
            overwrite("both.txt", "one"),
            Say("One is done."),
            overwrite("second.txt", "two"),
            overwrite("both.txt", "two"),
            ToolCall(
                "Write", {"file_path": str(world.repo / "new.txt"), "content": "two\n"}, "new"
            ),
            Say("Two is done."),
        ]
        with talking(world, script) as talk:
            talk.say("One.")
            world.handrail("checkpoint")  # waits for the one of the iteration's end
            (world.repo / "mine.txt").write_text("by a person\n")
            talk.say("Two.")
        world.handrail("checkpoint")
        (world.repo / "both.txt").write_text("by a person\n")
        taken = records(world)
        first = str(taken[-1]["id"])
        yield Iterations(
            world,
            taken,
            work(world),
            run(world, "undo", "--iteration", "--yes"),
            run(world, "rollback", first, "--yes"),
            run(world, "rollback", first, "--over", "--yes"),
        )


def texts(found: Files) -> dict[str, str]:
    return {os.fsdecode(path): data.decode().strip() for path, (_, data) in found.items()}


def test_only_the_last_iteration_is_undone(iterations: Iterations) -> None:
    left = texts(iterations.undone.left)
    assert (left["first.txt"], left["second.txt"]) == ("one", "at first")
    assert "new.txt" not in left
    assert left["mine.txt"] == "by a person"


def test_what_a_person_has_changed_since_is_spared_and_named(iterations: Iterations) -> None:
    assert iterations.undone.code == 1
    assert "keep both.txt" in iterations.undone.said
    assert texts(iterations.undone.left)["both.txt"] == "by a person"


def test_a_rollback_spares_the_edits_of_a_person(iterations: Iterations) -> None:
    left = texts(iterations.back.left)
    assert iterations.back.code == 1
    assert (left["first.txt"], left["mine.txt"]) == ("at first", "by a person")


def test_a_rollback_over_them_does_not(iterations: Iterations) -> None:
    left = texts(iterations.over.left)
    names = ("first.txt", "second.txt", "both.txt", "mine.txt")
    assert iterations.over.code == 0
    assert {left[name] for name in names} == {"at first"}


def test_iterations_have_a_checkpoint_before_and_after(iterations: Iterations) -> None:
    moments = [each["moment"] for each in reversed(iterations.records)]
    assert moments[0] == "unattended"
    assert "prompt" in moments
    assert "iteration_end" in moments


def test_restores_of_iterations_leave_the_users_repository_alone(iterations: Iterations) -> None:
    assert iterations.undone.kept_git
    assert iterations.back.kept_git
    assert iterations.over.kept_git


# While the session works


def test_an_agent_at_work_hears_that_files_were_put_back(claude: Path) -> None:
    with supervised() as world:
        (world.repo / "plan.txt").write_text("a plan\n")
        asked, go_on = threading.Event(), threading.Event()

        def waits(_: ModelRequest) -> Answer:
            asked.set()
            return ModelTurn([bash("echo other > other.txt", "next")], after=go_on)

        running = world.bed.start(
            "Tidy up.", [bash("find . -name 'plan*' -delete", "find"), waits, Say("Done.")]
        )
        assert asked.wait(60)
        undone = run(world, "undo", "--yes")
        go_on.set()
        session = running.wait()
        assert (undone.code, undone.left[b"plan.txt"][1]) == (0, b"a plan\n")
        assert "is working" in undone.said
        told = [asked.text for asked in session.requests if asked.tools]
        assert [PUT_BACK in text for text in told] == [False, False, True]
        assert (world.repo / "plan.txt").exists()


def test_nothing_is_changed_while_files_are_put_back(claude: Path) -> None:
    with supervised() as world:
        (world.repo / "plan.txt").write_text("a plan\n")
        slow = world.bed.root / "slow"
        waits = f"while [ -e {slow} ]; do sleep 0.01; done"
        only = f'case "$*" in *fast-import*) {waits};; esac'
        world.program("git", f'{only}; exec {shutil.which("git")} "$@"')
        stops = [threading.Event() for _ in range(2)]
        running = world.bed.start(
            "Tidy up.",
            [
                bash("find . -name 'plan*' -delete", "find"),
                ModelTurn([bash("echo 1 > other.txt", "during")], after=stops[0]),
                ModelTurn([bash("echo 2 > other.txt", "after")], after=stops[1]),
                Say("Done."),
            ],
        )
        until(lambda: len(running.model.requests) > 1, "the first call has not ended")
        world.handrail("checkpoint")  # what was begun is done before
        slow.touch()
        with ThreadPoolExecutor() as beside:
            undone = beside.submit(run, world, "undo", "--yes")
            until(lambda: any(isinstance(e, RestoreAsked) for e in world.events()), "no restore")
            stops[0].set()
            until(lambda: len(running.model.requests) > 2, "the second call has not ended")
            assert not (world.repo / "other.txt").exists()
            slow.unlink()
            assert undone.result().code == 0
        stops[1].set()
        session = running.wait()
        results = session.tool_results()
        assert results["during"].is_error
        assert STOPPED in results["during"].text
        assert "is putting the files back to a checkpoint" in results["during"].text
        assert session.ran("after")
        assert (world.repo / "other.txt").read_text() == "2\n"
        assert (world.repo / "plan.txt").read_text() == "a plan\n"


# Where nothing can be saved


def test_what_only_a_checkpoint_could_undo_does_not_run_without_one(claude: Path) -> None:
    with supervised() as world:
        (world.repo / "plan.txt").write_text("a plan\n")
        (world.bed.state / "checkpoints").write_text("in the way")
        session = world.run(
            "Tidy up.",
            [
                bash("find . -name '*.txt' -delete", "find"),
                bash("cat plan.txt", "read"),
                ToolCall("Read", {"file_path": str(world.repo / "plan.txt")}, "look"),
                Say("Done."),
            ],
        )
        results = session.tool_results()
        assert (world.repo / "plan.txt").read_text() == "a plan\n"
        assert results["find"].is_error
        assert STOPPED in results["find"].text
        assert "No checkpoint could be taken first" in results["find"].text
        assert session.ran("read", "look")


# Many at once


def helper(name: str) -> ToolCall:
    given = {"description": name, "prompt": f"HELPER {name}", "subagent_type": "general-purpose"}
    return ToolCall("Agent", given, id=name)


def test_what_sub_agents_and_calls_at_once_deleted_comes_back(claude: Path) -> None:
    with supervised() as world:
        for name in ("a", "b", "c", "d"):
            (world.repo / f"{name}.txt").write_text(f"{name}\n")
        before = work(world)
        at_once = [bash(f"find . -name '{name}.txt' -delete", f"find {name}") for name in "ab"]
        script: dict[str, list[Answer]] = {
            "HELPER": [bash("find . -name 'c.txt' -delete", "find c"), Say("Deleted.")],
            "Begin": [
                ModelTurn([*at_once, bash("echo new > d.txt", "write d")]),
                helper("one"),
                *[Say("Done.")] * 3,
            ],
        }
        session = world.run("Begin", script)
        assert session.ran("find a", "find b", "find c", "write d")
        left = {path for path in before if work(world).get(path) != before[path]}
        assert left == {b"a.txt", b"b.txt", b"c.txt", b"d.txt"}
        undone = run(world, "undo", "--task", "--yes")
        assert (undone.code, undone.left) == (0, before)


def test_what_a_session_committed_is_taken_back(claude: Path) -> None:
    def git(*words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=world.repo, capture_output=True, check=True)
        return ran.stdout.decode()

    commit = "git -c user.name=A -c user.email=a@example.invalid commit -q -m wip"
    with supervised() as world:
        start = git("rev-parse", "HEAD")
        session = world.run(
            "Commit it.",
            [
                bash("echo x > new.txt && git add new.txt", "stage"),
                bash(f"{commit} && git branch next", "commit"),
                Say("Done."),
            ],
        )
        assert session.ran("commit")
        assert git("rev-parse", "HEAD") != start
        assert run(world, "undo", "--git", "--yes").code == 0
        assert git("rev-parse", "HEAD") == start
        assert git("status", "--porcelain") == "A  new.txt\n"
        assert "next" not in git("branch")
        (back,) = [event for event in world.events() if isinstance(event, RolledBack)]
        assert any("branch next: deleted" in line for line in back.git)
