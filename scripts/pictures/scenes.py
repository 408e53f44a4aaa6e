"""Scenes for the pictures: a scratch home with a daemon, projects, and scripted agents at work."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scripts.pictures.terminal import Span, Terminal, draw, terminal

from handrail.server.home import Home
from handrail.server.launcher import ensure_daemon, stop_daemon
from handrail.testing.model_server import ToolCall
from handrail.testing.scripted_agent import ScriptedAgent

Rows = list[list[Span]]
_KEYS = "f freez"
_CLEANUP = "find drafts .env -type f -delete"


class World:
    """A person's home on this machine, in a folder that is removed afterwards."""

    def __init__(self, folder: str) -> None:
        self.home = f"{folder}/home"
        self.handrail = Home(f"{folder}/handrail")
        self.program = f"{os.path.dirname(sys.executable)}/handrail"
        self.environ = {
            "HOME": self.home,
            "HANDRAIL_HOME": self.handrail.path,
            "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "USER": "you",
            "LOGNAME": "you",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            **{f"GIT_{who}_NAME": "You" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "you@example.com" for who in ("AUTHOR", "COMMITTER")},
        }

    def project(self, name: str, **files: str) -> str:
        """A repository with files in it; their names have dots and slashes as usual."""
        folder = f"{self.home}/{name}"
        for path, text in files.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        start = "git init -q -b main . && git add -A && git commit -qm Start"
        subprocess.run(["sh", "-c", start], cwd=folder, env=self.environ, check=True)
        return folder

    def agent(self, folder: str, session: str, goal: str) -> ScriptedAgent:
        """A session of a scripted agent in a project."""
        return ScriptedAgent(
            self.handrail.socket, folder, session=session, environ=self.environ, prompt=goal
        )

    @contextmanager
    def screen(
        self, folder: str, *words: str, columns: int = 84, lines: int = 60
    ) -> Iterator[Terminal]:
        """`handrail WORDS` in a terminal."""
        command = (self.program, *words)
        with terminal(command, self.environ, folder, columns, lines) as screen:
            yield screen


@contextmanager
def world() -> Iterator[World]:
    """A world with a running daemon."""
    with tempfile.TemporaryDirectory(prefix="handrail-pictures-") as folder:
        made = World(os.path.realpath(folder))
        os.makedirs(made.home)
        try:
            ensure_daemon(made.handrail, made.environ)
            yield made
        finally:
            stop_daemon(made.handrail)


def _bash(*commands: str) -> list[ToolCall]:
    return [ToolCall("Bash", {"command": command}) for command in commands]


def demo(scene: World) -> str:
    """The demo's first half, and its summary."""
    with scene.screen(scene.home, "demo", "--fast", lines=200) as screen:
        screen.finish()
    rows, texts = screen.rows(), screen.text.splitlines()
    middle = next(at for at, text in enumerate(texts) if "You ask it" in text)
    summary = next(at for at, text in enumerate(texts) if "────" in text)
    rest = [[Span(1, "⋮", "#858c9a", "", bold=False)], []]
    return draw([*rows[:middle], *rest, *rows[summary : summary + 3]], "handrail demo", 84)


def review(scene: World) -> str:
    """One verdict, explained."""
    folder = scene.project("shop", **{"README.md": "# shop\n"})
    command = "cd /srv/app && rm -rf ./data/*; git push -f origin main"
    with scene.screen(folder, "review", command) as screen:
        screen.finish()
    return draw(screen.rows(), f"handrail review '{command}'", 84)


def undo(scene: World) -> str:
    """An agent deletes files, and a person takes that back."""
    files = {"cart.py": "def total(prices):\n    return sum(prices)\n", ".gitignore": ".env\n"}
    settings = "checkpoints: {include: [.env]}\n"
    folder = scene.project("shop", **files, **{"handrail.yaml": settings})
    Path(folder, "drafts").mkdir()
    Path(folder, "drafts/launch.md").write_text("Dear customers, it adds up now.\n")
    Path(folder, ".env").write_text("A=1\nB=2\n")
    with scene.agent(folder, "4b9f-demo", "tidy up") as agent:
        _play(agent, _bash("git status --short", _CLEANUP))
        with scene.screen(folder, "undo") as screen:
            screen.wait_for("handrail redo)")
            screen.press("y\n")
            screen.finish()
    return draw(screen.rows(), "handrail undo", 84)


def watch(scene: World) -> str:
    """Three runs on the screen: one at work, one that is corrected, one that is paused."""
    failing = "raise SystemExit('FAILED test_total: 5 is not 6')\n"
    test = "python3 test_cart.py"
    with ExitStack() as stack:
        runs = {
            "shop": ("fix the total of the cart", _bash("git log --oneline", test, test, test)),
            "docs": ("describe the new checkout", _bash("ls", "cat README.md")),
            "api": ("clean up the fixtures", _bash("ls", "git status", "rm -rf build")),
        }
        for number, (name, (goal, calls)) in enumerate(runs.items(), 4):
            files = {"README.md": f"# {name}\n", "test_cart.py": failing, "build/a.whl": "made\n"}
            folder = scene.project(name, **files)
            agent = stack.enter_context(scene.agent(folder, f"{number}b9f-{name}", goal))
            _play(agent, calls)
        pause = [scene.program, "pause", "api", "--reason", "fixing the fixture first"]
        subprocess.run(pause, env=scene.environ, check=True, capture_output=True)
        screen = stack.enter_context(scene.screen(scene.home, "watch", columns=110, lines=34))
        screen.wait_for("fix the total")
        screen.press("j")
        screen.wait_for("repetitive errors")
        # A question hides the keys, and they are drawn last: all of the screen is there again.
        screen.press("/")
        screen.wait_without(_KEYS)
        screen.press("\x1b")
        screen.wait_for(_KEYS)
        rows = screen.rows()
    return draw(rows, "handrail watch", 110)


def _play(agent: ScriptedAgent, calls: Sequence[ToolCall]) -> None:
    for call in calls:
        agent.do(call)
