"""A scratch world in which the real Claude Code works for a scripted model."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple, Self

from handrail.testing.model_server import Json, ModelRequest, ModelServer, Script, ToolResult

VERSION = Path(__file__).with_name("VERSION").read_text().strip()
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
CLAUDE = CACHE / "handrail" / f"claude-code-{VERSION}" / "claude"
"""Where `scripts/setup claude` puts it."""

# The model is pinned, because the tools that Claude Code offers depend on it.
ALWAYS = ("--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose")
QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}


class FinishedSession(NamedTuple):
    """A session that is over."""

    code: int
    lines: list[Json]
    """What Claude Code printed, as stream-json."""
    err: str
    requests: list[ModelRequest]
    """What the model was asked, sub-agents' requests too."""

    @property
    def result(self) -> Json:
        """The last result that Claude Code printed."""
        return next(line for line in reversed(self.lines) if line.get("type") == "result")

    def tool_results(self) -> dict[str, ToolResult]:
        """What the model was told about its calls, by the id of the call."""
        return {
            call: result for asked in self.requests for call, result in asked.tool_results.items()
        }

    def told(self) -> str:
        """All text that the model was sent."""
        return "\n".join(asked.text for asked in self.requests)

    def ran(self, *calls: str) -> bool:
        """Whether all these calls came back to the model without an error."""
        results = self.tool_results()
        return all(call in results and not results[call].is_error for call in calls)


class RunningSession:
    """A session that is under way."""

    def __init__(self, process: subprocess.Popen[bytes], model: ModelServer, output: Path) -> None:
        self.process = process
        self.model = model
        self._output = output

    def wait(self, timeout: float = 120) -> FinishedSession:
        """Until Claude Code has ended."""
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired as late:
            late.add_note(self._output.read_text()[-2000:])
            raise
        self.model.check()
        return FinishedSession(
            self.process.returncode,
            [json.loads(line) for line in self._output.read_text().splitlines()],
            self._output.with_suffix(".err").read_text(),
            self.model.requests,
        )

    def end(self) -> None:
        """Ends Claude Code and the commands that it runs; nothing where it has ended."""
        if self.process.poll() is None:
            # Asked first: its commands have process groups of their own, which only it knows.
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class ClaudeSandbox:
    """Home, repository and Handrail's state in one folder; all of it is gone after the block.

    The folder's path is short, because the path of a unix socket may have 107 bytes.
    """

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="bed-", dir="/tmp"))
        self.home = self.root / "home"
        self.config = self.home / ".claude"
        self.repo = self.root / "repo"
        self.state = self.root / "state"
        self.tmp = self.root / "tmp"
        self.environ = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "TMPDIR": str(self.tmp),
            "HANDRAIL_HOME": str(self.state),
        }
        self._exit = ExitStack()
        self._started = 0

    def __enter__(self) -> Self:
        self._exit.callback(shutil.rmtree, self.root)
        for folder in (self.config, self.repo, self.tmp):
            folder.mkdir(parents=True)
        self.state.mkdir(mode=0o700)
        (self.repo / "README.md").write_text("# A shop\n")
        for command in ("init -q -b main", "add .", "commit -q -m start"):
            self.git(*command.split())
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()

    def at_end(self, do: Callable[[], None]) -> None:
        """Have something done after the block: the sessions started later have ended by then."""
        self._exit.callback(do)

    def run(
        self,
        prompt: str,
        script: Script,
        settings: Mapping[str, object] | None = None,
        mode: str = "bypassPermissions",
        args: Sequence[str] = (),
        env: Mapping[str, str] = {},
        timeout: float = 120,
    ) -> FinishedSession:
        """A whole session, from the prompt to its end."""
        return self.start(prompt, script, settings, mode, args, env).wait(timeout)

    def start(
        self,
        prompt: str,
        script: Script,
        settings: Mapping[str, object] | None = None,
        mode: str = "bypassPermissions",
        args: Sequence[str] = (),
        env: Mapping[str, str] = {},
    ) -> RunningSession:
        """A session that runs while the test goes on; it ends with the bed at the latest."""
        self._started += 1
        output = self.root / f"session-{self._started}.out"
        options = [*args, *self._settings(settings, output.with_suffix(".json"))]
        model = self._exit.enter_context(ModelServer(script))
        with output.open("wb") as out, output.with_suffix(".err").open("wb") as err:
            process = subprocess.Popen(
                [str(CLAUDE), "-p", prompt, *ALWAYS, "--permission-mode", mode, *options],
                cwd=self.repo,
                env={**self.environ, **QUIET, **_served_by(model), **env},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        running = RunningSession(process, model, output)
        self._exit.callback(running.end)
        return running

    def git(self, *args: str) -> None:
        """Run git in the repository."""
        person = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
        subprocess.run(["git", *person, *args], cwd=self.repo, env=self.environ, check=True)

    def _settings(self, settings: Mapping[str, object] | None, file: Path) -> list[str]:
        if settings is None:
            return []
        file.write_text(json.dumps(settings))
        return ["--settings", str(file)]


def _served_by(model: ModelServer) -> dict[str, str]:
    # IS_SANDBOX: root may bypass permissions too, as in the containers of a CI.
    return {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-ant-test",
        "IS_SANDBOX": "1",
    }
