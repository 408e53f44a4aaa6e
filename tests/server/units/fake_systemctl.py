"""A `systemctl` that writes down how it was called, and fails where it is told to."""

from pathlib import Path

_SCRIPT = """\
#!/bin/sh
echo "$*" >> {calls}
case "$*" in *"$(cat {fails})"*) echo "Unit is not well" >&2; exit 1 ;; esac
"""


class FakeSystemctl:
    """A folder for PATH, and the place of a user manager that answers."""

    def __init__(self, root: Path) -> None:
        self.bin, self._runtime = root / "bin", root / "runtime"
        self._calls, self._fails = root / "calls", root / "fails"
        (self._runtime / "systemd").mkdir(parents=True)
        (self._runtime / "systemd" / "private").touch()
        self.bin.mkdir(exist_ok=True)
        self._calls.touch()
        self.fail_at("nothing")
        program = self.bin / "systemctl"
        program.write_text(_SCRIPT.format(calls=self._calls, fails=self._fails))
        program.chmod(0o755)

    @property
    def environ(self) -> dict[str, str]:
        return {"PATH": f"{self.bin}:/usr/bin:/bin", "XDG_RUNTIME_DIR": str(self._runtime)}

    def fail_at(self, word: str) -> None:
        """Fail when a call has this word."""
        self._fails.write_text(word)

    def take_calls(self) -> list[str]:
        """The calls since the last time, without `--user`."""
        calls = [line.removeprefix("--user ") for line in self._calls.read_text().splitlines()]
        self._calls.write_text("")
        return calls
