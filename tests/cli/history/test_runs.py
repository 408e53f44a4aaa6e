"""Runs are found by what a person types."""

import sqlite3

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.conftest import HandrailShell, Run
from tests.cli.logbook import Logbook, memory_logbook, open_logbook

from handrail.cli.history.runs import KnownRuns
from handrail.hosts.settings_file import FileChange, InstallRecord, save_installs
from handrail.server.home import Home
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry
from handrail.supervise.runs.run_names import short_ids

SHOP_OLD = "3f2a9c1e-77aa-4b1c-9d2e-1c7a3f6e0001"
SHOP = "b71d0000-0000-4000-8000-000000000002"
DOCS = "3f2b0000-0000-4000-8000-000000000003"


@pytest.fixture
def book() -> Logbook:
    book = memory_logbook()
    book.start(SHOP_OLD)
    book.start(SHOP)
    book.start(DOCS, cwd="/w/my-docs")
    return book


@pytest.mark.parametrize(
    ("typed", "run"),
    [
        ("last", DOCS),
        ("shop", SHOP),
        ("shop-b71d", SHOP),
        ("shop-3f2a", SHOP_OLD),
        ("shop-3", SHOP_OLD),
        ("my-docs", DOCS),
        ("my-docs-3f", DOCS),
        ("3f2b", DOCS),
        ("b", SHOP),
        (SHOP_OLD, SHOP_OLD),
    ],
)
def test_a_run_is_found_by_name_project_or_beginning_of_its_id(
    book: Logbook, typed: str, run: str
) -> None:
    assert KnownRuns(book.store).find(typed).id == run


def test_runs_are_named_after_their_folder_and_id(book: Logbook) -> None:
    assert [run.name for run in KnownRuns(book.store)] == ["my-docs-3f2b", "shop-b71d", "shop-3f2a"]


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("x", "see handrail status --all"),
        ("shop-9", "did you mean shop"),
        ("shop-", "did you mean shop"),
        ("/w/shop", "did you mean shop"),
    ],
)
def test_a_run_that_is_not_there_is_said_so(book: Logbook, typed: str, hint: str) -> None:
    with pytest.raises(click.ClickException, match=f"there is no run .*{hint}"):
        KnownRuns(book.store).find(typed)


def test_candidates_are_listed_where_several_are_meant(
    book: Logbook, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(click.exceptions.Exit) as ended:
        KnownRuns(book.store).find("3f")
    assert ended.value.exit_code == 2
    head, *listed = capsys.readouterr().err.splitlines()
    assert head == "handrail: '3f' matches 2 runs:"
    assert [line.split()[0] for line in listed] == ["my-docs-3f2b", "shop-3f2a"]


@given(st.sets(st.text("0123abc-", min_size=1, max_size=9), min_size=1, max_size=40))
def test_a_short_id_means_one_run_only(ids: set[str]) -> None:
    for run, short in short_ids(list(ids)).items():
        assert run.startswith(short)
        assert short == run or sum(other.startswith(short) for other in ids) == 1


def test_a_run_whose_beginning_is_lost_still_has_a_name() -> None:
    store = MemoryStore()
    store.append([NewEntry("run:3f2a0000", b"\xff"), NewEntry("run:3f2b0000", b'{"event":"x"}')])
    assert [run.name for run in KnownRuns(store)] == ["run-3f2b", "run-3f2a"]


COMMANDS = (("status",), ("log",), ("explain",), ("feedback", "last", "1", "right"))


@pytest.mark.parametrize("args", COMMANDS)
def test_a_log_that_is_none_is_one_line_and_exit_code_2(
    shell: HandrailShell, args: tuple[str, ...]
) -> None:
    shell.state.mkdir()
    (shell.state / "events.db").write_bytes(b"this is not a database, whatever its name says" * 99)
    ran = shell.run(*args)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith(f"handrail: {shell.state}/events.db: the log is damaged")
    assert ran.err.endswith("; handrail doctor --fix moves it aside and starts a new one\n")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("args", COMMANDS)
def test_a_log_of_a_newer_handrail_is_not_read(shell: HandrailShell, args: tuple[str, ...]) -> None:
    with open_logbook(shell) as book:
        book.start(SHOP)
    with sqlite3.connect(shell.state / "events.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    ran = shell.run(*args)
    assert ran.code == 2
    assert "written by a newer Handrail" in ran.err
    assert ran.err.endswith("; upgrade Handrail\n")


@pytest.mark.parametrize("args", COMMANDS)
def test_before_the_first_run_they_say_what_to_do(run: Run, args: tuple[str, ...]) -> None:
    ran = run(*args)
    assert "No runs yet" in ran.out + ran.err
    assert "handrail install claude" in ran.out + ran.err
    assert ran.code == (0 if args[0] in ("status", "log") else 2)


@pytest.mark.parametrize("args", COMMANDS)
def test_once_handrail_is_installed_they_do_not_suggest_it(
    shell: HandrailShell, args: tuple[str, ...]
) -> None:
    settings = FileChange(str(shell.home / ".claude/settings.json"), None, "")
    save_installs(Home(str(shell.state)).installs, [InstallRecord("claude", settings)])
    ran = shell.run(*args)
    assert "No runs yet" in ran.out + ran.err
    assert "Start a Claude Code session, or restart an open one: claude" in ran.out + ran.err
    assert "install" not in ran.out + ran.err


def test_a_run_that_is_almost_named_is_asked_for(book: Logbook) -> None:
    with pytest.raises(click.ClickException, match=r"no run 'shpo-3f2a'; did you mean shop-3f2a\?"):
        KnownRuns(book.store).find("shpo-3f2a")


def test_reading_leaves_the_state_folder_as_it_is(shell: HandrailShell) -> None:
    shell.run("status")
    shell.run("log")
    assert not shell.state.exists()
