"""`handrail doctor` with the real Claude Code: what it says is what is."""

import json
import subprocess

from tests.claude.supervised import SupervisedSandbox, supervised


def doctor(world: SupervisedSandbox, *args: str) -> dict[str, dict[str, str]]:
    """What the doctor finds in the repository; of several findings of a name, the worst."""
    done = subprocess.run(
        [world.bin / "handrail", "doctor", "--json", *args],
        cwd=world.repo,
        env=world.bed.environ,
        capture_output=True,
        check=False,
    )
    said = json.loads(done.stdout)
    assert done.returncode == (0 if said["ok"] else 1)
    return {check["name"]: check for check in sorted(said["checks"], key=_is_bad)}


def _is_bad(check: dict[str, str]) -> bool:
    return check["mark"] == "bad"


def test_a_sound_installation_is_proved_by_a_refusal_and_leaves_no_trace() -> None:
    with supervised() as world:
        found = doctor(world)
        wanted = "log daemon guardian port client claude hooks settings enforcement".split()
        packages = found.pop("packages")["mark"]
        assert packages in {"ok", "warn"}  # this checkout may be installed to be edited
        assert {name: check["mark"] for name, check in found.items()} == dict.fromkeys(wanted, "ok")
        assert not list(world.bed.state.glob("probe-*"))


def test_hooks_that_a_project_switches_off_are_caught_in_the_act() -> None:
    with supervised() as world:
        (world.repo / ".claude").mkdir()
        (world.repo / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
        found = doctor(world)
        assert "disableAllHooks" in found["project"]["says"]
        assert "RAN" in found["enforcement"]["says"]
        assert not list(world.bed.state.glob("probe-*"))


def test_a_dead_daemon_is_started_and_a_damaged_log_put_aside() -> None:
    with supervised() as world:
        world.kill()
        for part in world.bed.state.glob("events.db*"):
            part.write_bytes(b"not a database" * 1000)
        assert "--fix" in doctor(world, "--no-probe")["log"]["fix"]
        found = doctor(world, "--fix", "--no-probe")
        assert {found[name]["mark"] for name in ("log", "daemon", "port")} == {"ok"}
        assert list(world.bed.state.glob("events.db.damaged-*"))


def test_missing_hooks_are_named_with_the_command_that_puts_them_in() -> None:
    with supervised() as world:
        world.handrail("uninstall", "claude", "--yes")
        hooks = doctor(world, "--no-probe")["hooks"]
        assert (hooks["mark"], hooks["fix"]) == ("bad", "handrail install claude")
