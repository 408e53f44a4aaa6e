"""`handrail incident`: stops are listed, shown, and decided about."""

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

import msgspec
import pytest
from tests.cli.conftest import HandrailShell
from tests.cli.logbook import open_logbook, utc
from tests.intervene.stopped_run import INCIDENT, NIGHT, RUN, confirmed, reviewed, save, stop, story

from handrail.api.messages.incidents import IncidentRow, RecoveryAnswer
from handrail.api.messages.session import Problem
from handrail.api.operation import PREFIX
from handrail.cli.commands.incident import show_report
from handrail.cli.output.terminal import WIDTH, TerminalOutput
from handrail.intervene.incidents.folders import IncidentFolders, Resolution
from handrail.intervene.incidents.gathering import gather_incident
from handrail.intervene.incidents.record import Incident
from handrail.intervene.incidents.report import incident_report
from handrail.model.event import Event
from handrail.server.home import Home

OLDER = "2026-11-15-2200-docs-77aa0b12"


@pytest.fixture
def incidents(shell: HandrailShell) -> IncidentFolders:
    return IncidentFolders(Home(str(shell.state)).incidents)


@pytest.fixture
def stopped(shell: HandrailShell, incidents: IncidentFolders) -> Iterator[HandrailShell]:
    """Two stops, of which the older one is resolved."""
    save(incidents, record())
    save(incidents, msgspec.structs.replace(record(), id=OLDER, cwd="/w/docs", at=NIGHT - 15_000))
    incidents.resolve(OLDER, Resolution(NIGHT - 14_000, "abort", "wrong branch"))
    with utc():
        yield shell


def record() -> Incident:
    return gather_incident(RUN, INCIDENT, [*story(), confirmed()])


def test_stops_are_listed_with_what_and_state(stopped: HandrailShell) -> None:
    lines = stopped.run("incident", "list").out.splitlines()
    assert lines[0].startswith(f" ▲ {INCIDENT}  open  ")
    assert lines[1] == "   shop-3f2a, loop, critical: It ran the same failing command 3 times."
    assert lines[2].startswith(f" ○ {OLDER}  resolved: abort  ")
    assert lines[-1] == f" Read one: handrail incident show {INCIDENT}"


def test_stops_are_listed_as_json(stopped: HandrailShell) -> None:
    first, second = stopped.run("incident", "list", "--json").json
    assert (first["id"], first["state"], first["kind"]) == (INCIDENT, "open", "loop")
    assert second["resolution"] == {"at": NIGHT - 14_000, "option": "abort", "note": "wrong branch"}


def test_where_nothing_was_stopped_that_is_said(shell: HandrailShell) -> None:
    out = shell.run("incident", "list").out
    assert out == " No emergency stops. Runs that a person stopped: handrail status --all\n"
    assert shell.run("incident", "list", "--json").json == []
    assert shell.run("incident", "show").err == "handrail: No emergency stops.\n"
    assert not shell.state.exists()


@pytest.mark.parametrize("name", ["last", INCIDENT, "shop-3f2a", "2026-11-16"])
def test_a_report_is_found_by_name_or_part_of_it(stopped: HandrailShell, name: str) -> None:
    out = stopped.run("incident", "show", name).out
    assert out.startswith(f"# Incident {INCIDENT}\n")
    assert f"handrail incident resume {INCIDENT} --option abort" in out


def test_a_report_fits_the_terminal_and_its_commands_stay_whole(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_report(TerminalOutput(colour=False, width=60), incident_report(record()))
    lines = capsys.readouterr().out.splitlines()
    commands = [line for line in lines if line.startswith("      handrail incident resume ")]
    assert len(commands) == 4
    assert all(" --option " in line for line in commands)
    assert [line for line in lines if len(line) > 60 and line not in commands] == []
    broken = lines.index("- 02:12:22 step 2 Bash `curl x | sh`: refused; it is not")
    assert lines[broken + 1] == "  allowed"


def test_a_long_report_is_broken_where_it_is_shown(
    shell: HandrailShell, incidents: IncidentFolders
) -> None:
    finding = msgspec.structs.replace(record().finding, says="It went on and on. " * 9)
    save(incidents, msgspec.structs.replace(record(), finding=finding))
    lines = shell.run("incident", "show").out.splitlines()
    assert max(len(line) for line in lines if "incident resume" not in line) <= WIDTH


def test_a_report_is_shown_without_the_signs_that_markdown_needs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = r"- error: a\_b \> c \\ \`d\`, code: `e\_f \> g`"
    show_report(TerminalOutput(colour=False), text)
    assert capsys.readouterr().out == "- error: a_b > c \\ `d`, code: `e\\_f \\> g`\n"


def test_how_long_stops_are_kept_is_a_setting(shell: HandrailShell) -> None:
    out = shell.run("incident", "list", "--help").out
    assert "preserve_incident_data_days" in out
    assert "30 days" not in out


def test_a_resolved_one_says_how(stopped: HandrailShell) -> None:
    out = stopped.run("incident", "show", "docs-77aa").out
    assert "\nResolved: abort, " in out
    assert out.endswith(" ago: wrong branch\n")


def test_the_whole_record_is_there_as_json(stopped: HandrailShell) -> None:
    shown = stopped.run("incident", "show", "--json").json
    assert shown["state"] == "open"
    assert [each["step"] for each in shown["actions"]] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("show", "nope"), "there is no incident 'nope'; see handrail incident list"),
        (("show", "2026"), f"'2026' matches several: {INCIDENT}, {OLDER}"),
        (("resume", OLDER, "--option", "abort"), f"{OLDER} is already resolved: abort, "),
        (("resume", "last", "--option", "hope"), "'hope' is not one of"),
        (("resume", "last"), "choose an option: --option resume_with_limits|"),
    ],
)
def test_what_cannot_be_done_is_said_and_starts_no_daemon(
    stopped: HandrailShell, args: tuple[str, ...], says: str
) -> None:
    ran = stopped.run("incident", *args)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert not (stopped.state / "daemon.lock").exists()


def test_without_a_checkpoint_there_is_no_way_back(
    shell: HandrailShell, incidents: IncidentFolders
) -> None:
    events: list[Event] = [reviewed(1, "ls"), stop()]
    save(incidents, gather_incident(RUN, INCIDENT, events))
    ran = shell.run("incident", "resume", "last", "--option", "rollback_and_retry")
    assert ran.code == 2
    assert "no checkpoint from before the trouble is safe" in ran.err


def test_an_agent_may_not_decide(stopped: HandrailShell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = stopped.run("incident", "resume", "last", "--option", "manual_approval")
    assert ran.code == 2
    assert "use a terminal of your own" in ran.err
    assert stopped.run("incident", "show").code == 0


@contextmanager
def daemon(
    home: Home, answers: Mapping[str, object], status: str = "200 OK"
) -> Iterator[list[str]]:
    """Stands in for the daemon: what it is asked; `answers` are by the last word of the path."""
    home.prepare()
    asked: list[str] = []
    with socket.socket(socket.AF_UNIX) as listener:
        with suppress(FileNotFoundError):
            os.unlink(home.socket)
        listener.bind(home.socket)
        listener.listen()

        def serve() -> None:
            while True:
                line, _ = listener.accept()
                with line, line.makefile("rwb") as file:
                    request = _request(file.readline, file.read)
                    if not request:
                        return
                    if "/healthz" in request:
                        said, body = "200 OK", '{"ok":true,"pid":1}'
                    else:
                        asked.append(request)
                        last = request.split(" ", 2)[1].rpartition("/")[2]
                        said, body = status, msgspec.json.encode(answers[last]).decode()
                    head = f"HTTP/1.1 {said}\r\nContent-Length: {len(body)}\r\n\r\n"
                    file.write(f"{head}{body}".encode())

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield asked
        finally:
            with socket.socket(socket.AF_UNIX) as last:
                last.connect(home.socket)
            thread.join()


def _request(readline: Callable[[], bytes], read: Callable[[int], bytes]) -> str:
    first = readline().decode().rpartition(" ")[0]
    size = 0
    while (header := readline().decode().strip().lower()) != "":
        if header.startswith("content-length:"):
            size = int(header.partition(":")[2])
    return f"{first} {read(size).decode()}".strip()


NEXT = f"cd /w/shop && claude --resume {RUN}"


def recovered(*lines: str, following: str = "", problem: str = "") -> dict[str, object]:
    """What the daemon says about a decision."""
    row = IncidentRow(INCIDENT, RUN, "shop-3f2a", NIGHT, "", "loop", False, "")
    return {INCIDENT: RecoveryAnswer(" ".join(lines), row, lines, following, problem)}


def test_a_decision_goes_to_the_daemon_and_the_next_command_is_told(
    stopped: HandrailShell,
) -> None:
    answers = recovered("shop-3f2a: It goes on.", "Limits: 6 calls.", following=NEXT)
    with daemon(Home(str(stopped.state)), answers) as asked:
        ran = stopped.run(
            "incident", "resume", "last", "--option", "resume_with_limits", "--note", "fixed it"
        )
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f" shop-3f2a: It goes on.\n Limits: 6 calls.\n Next:\n   {NEXT}\n"
    path, body = asked[0].split(" ", 2)[1:]
    assert path == f"{PREFIX}/incidents/{INCIDENT}"
    assert json.loads(body) == {"option": "resume_with_limits", "note": "fixed it"}


def test_a_decision_is_told_as_json(stopped: HandrailShell) -> None:
    with daemon(Home(str(stopped.state)), recovered("The run stays stopped for good.")):
        told = stopped.run("incident", "resume", "last", "--option", "abort", "--json").json
    assert told == {
        "ok": True,
        "id": INCIDENT,
        "run": RUN,
        "option": "abort",
        "note": "",
        "says": ["The run stays stopped for good."],
        "problem": "",
        "next": "",
    }


def test_a_daemon_that_refuses_is_quoted(stopped: HandrailShell) -> None:
    problem = Problem("Conflict", 409, "the files could not be put back")
    with daemon(Home(str(stopped.state)), {INCIDENT: problem}, "409 Conflict"):
        ran = stopped.run("incident", "resume", "last", "--option", "rollback_and_retry")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "handrail: the files could not be put back\n"


def test_a_failed_rollback_is_an_exit_code(stopped: HandrailShell) -> None:
    answers = recovered("THE ROLLBACK FAILED: the disk is full", problem="the disk is full")
    with daemon(Home(str(stopped.state)), answers):
        ran = stopped.run("incident", "resume", "last", "--option", "rollback_and_retry")
    assert ran.code == 1
    assert " THE ROLLBACK FAILED: the disk is full\n" in ran.out


def test_a_stop_that_could_not_be_written_is_shown_from_the_log(shell: HandrailShell) -> None:
    with open_logbook(shell) as book:
        run = book.start(RUN, cwd="/w/shop")
        for event in story()[1:]:
            run.note(event)
    assert shell.run("incident", "show", INCIDENT).out.startswith(f"# Incident {INCIDENT}\n")
    assert shell.run("incident", "list").out.startswith(f" ▲ {INCIDENT}  open  ")
    with daemon(Home(str(shell.state)), recovered("It has ended.")) as asked:
        ran = shell.run("incident", "resume", INCIDENT, "--option", "abort")
    assert (ran.code, ran.err) == (0, "")
    assert f"/incidents/{INCIDENT}" in asked[0]
