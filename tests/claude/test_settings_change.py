"""Settings that somebody changes while a session runs, past all tools, do not switch it off."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.model.event import SettingsChanged
from handrail.testing.model_server import Answer, ModelRequest, Say, Step
from tests.claude.sandbox import FinishedSession
from tests.claude.supervised import STOPPED, SupervisedSandbox, bash, supervised, until

OFF = "disableAllHooks is true"
REFUSED = {
    "switched-off": OFF,
    "switched-off-twice": OFF,
    "switched-off-deep": OFF,
    "harmless": OFF,
}
"""Changes that the session must not take over, and why."""
TAKEN_OVER = ["switched-on"]


class Story(NamedTuple):
    """A session, and what Handrail noted of the changes, by the name of the change."""

    session: FinishedSession
    noted: dict[str, SettingsChanged]


@pytest.fixture(scope="module")
def story(claude: Path) -> Story:
    with supervised() as world:
        (world.bed.home / "photos").mkdir()
        (world.repo / ".claude").mkdir()
        installed = world.settings.read_bytes()
        local = world.repo / ".claude" / "settings.local.json"
        project = world.repo / ".claude" / "settings.json"
        noted: dict[str, SettingsChanged] = {}

        def after(name: str, file: Path, text: str) -> Callable[[ModelRequest], Answer]:
            def step(request: ModelRequest) -> Answer:
                known = len(changes(world))
                file.write_text(text)
                noted[name] = until(
                    lambda: next((c for c in changes(world)[known:] if c.path == str(file)), None),
                    f"Claude Code tells of the change of {file}",
                )
                return bash("rm -rf ~/photos", name)

            return step

        def taken_out(request: ModelRequest) -> Answer:
            # Often Claude Code notices nothing of it: Handrail is as quick as its look at the file.
            world.settings.write_text("{}\n")
            until(lambda: world.settings.read_bytes() == installed, "the hooks are put back")
            return bash("rm -rf ~/photos", "taken-out")

        steps: list[Step] = [
            bash("touch before", "before"),
            after("switched-off", local, '{"disableAllHooks": true}'),
            # Claude Code takes the last of two, and nests as deep as one likes.
            after(
                "switched-off-twice", local, '{"disableAllHooks": false, "disableAllHooks": true}'
            ),
            after(
                "switched-off-deep",
                local,
                '{"disableAllHooks": true, "x": ' + "[" * 200 + "]" * 200 + "}",
            ),
            # Claude Code would take over all changes with the first that is not refused.
            after("harmless", project, '{"env": {"A": "b"}}'),
            after("switched-on", local, "{}"),
            taken_out,
            Say("Done."),
        ]
        session = world.run("Go.", steps)
        assert (world.bed.home / "photos").exists()
        return Story(session, noted)


def changes(world: SupervisedSandbox) -> list[SettingsChanged]:
    return [event for event in world.events() if isinstance(event, SettingsChanged)]


@pytest.mark.parametrize("change", [*REFUSED, *TAKEN_OVER, "taken-out"])
def test_after_any_change_the_session_is_still_supervised(story: Story, change: str) -> None:
    assert STOPPED in story.session.tool_results()[change].text


@pytest.mark.parametrize("change", REFUSED)
def test_while_the_hooks_would_not_run_no_change_is_taken_over(story: Story, change: str) -> None:
    assert REFUSED[change] in story.noted[change].refused


@pytest.mark.parametrize("change", TAKEN_OVER)
def test_when_the_hooks_would_run_a_change_is_taken_over(story: Story, change: str) -> None:
    assert story.noted[change].refused == ""


def test_where_a_project_leads_the_hooks_through_a_proxy_no_work_is_begun(claude: Path) -> None:
    with supervised() as world:
        (world.repo / ".claude").mkdir()
        proxy = {"env": {"HTTPS_PROXY": "http://127.0.0.1:9"}}
        (world.repo / ".claude" / "settings.json").write_text(json.dumps(proxy))
        session = world.run("Go.", [bash("touch made", "made"), Say("Done.")])
        assert session.requests == []
        assert "Put 127.0.0.1 into NO_PROXY" in str(session.lines)
        assert not (world.repo / "made").exists()
