"""A session that is told several things one after the other, by one process."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handrail.testing.model_server import Json, ModelServer, Script
from tests.claude.sandbox import ALWAYS, CLAUDE, QUIET
from tests.claude.supervised import SupervisedSandbox, until


def served_by(model: ModelServer) -> dict[str, str]:
    """What a program needs in its environment to be answered by a scripted model."""
    return {
        **QUIET,
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-ant-test",
        "IS_SANDBOX": "1",
    }


class PromptedSession:
    """Somebody who waits for each answer before the next prompt."""

    def __init__(self, process: subprocess.Popen[bytes], output: Path, model: ModelServer) -> None:
        self.model = model
        self._process = process
        self._output = output

    def say(self, prompt: str) -> None:
        """Give a prompt, and wait until the agent has done what it can about it."""
        before = self._results()
        self.begin(prompt)
        until(lambda: self._results() > before, f"no answer to {prompt!r}")

    def begin(self, prompt: str) -> None:
        """Give a prompt."""
        said = {"type": "user", "message": {"role": "user", "content": prompt}}
        assert self._process.stdin
        self._process.stdin.write(json.dumps(said).encode() + b"\n")
        self._process.stdin.flush()

    @property
    def session(self) -> str:
        """The id of the session."""
        return next(str(line["session_id"]) for line in self._lines() if "session_id" in line)

    def _results(self) -> int:
        return sum(line.get("type") == "result" for line in self._lines())

    def _lines(self) -> list[Json]:
        """What was printed; a line that is just being written is none yet."""
        return [
            json.loads(each)
            for each in self._output.read_text().rpartition("\n")[0].split("\n")
            if each
        ]


@contextmanager
def talking(world: SupervisedSandbox, script: Script) -> Iterator[PromptedSession]:
    """A session that has ended after the block."""
    output = world.bed.root / "talk.out"
    options = ["--input-format", "stream-json", "--permission-mode", "bypassPermissions"]
    with ModelServer(script) as model, output.open("wb") as out:
        process = subprocess.Popen(
            [str(CLAUDE), "-p", *ALWAYS, *options],
            cwd=world.repo,
            env={**world.bed.environ, **served_by(model)},
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.DEVNULL,
        )
        with process:
            try:
                yield PromptedSession(process, output, model)
                process.communicate(timeout=60)
            finally:
                process.kill()
