"""An agent whose folder is taken away beside it does not make the review blind."""

from pathlib import Path

from handrail.testing.model_server import Answer, ModelRequest, Say, ToolCall
from tests.claude.supervised import STOPPED, bash, supervised, until


def test_a_link_to_the_controls_is_followed_from_a_folder_that_is_gone(claude: Path) -> None:
    with supervised() as world:
        client = world.bed.state / "bin" / "handrail-hook"
        before = client.read_text()
        path = str(world.repo / "up" / "state" / "bin" / "handrail-hook")

        def read(request: ModelRequest) -> Answer:
            (world.repo / "go").touch()
            until((world.repo / "moved").exists, "the folder is moved away")
            return ToolCall("Read", {"file_path": path}, id="read")

        move = "(until [ -e go ]; do sleep 0.1; done; mv here moved) >/dev/null 2>&1 &"
        session = world.run(
            "go",
            [
                bash(f"ln -s {world.bed.root} up", "link"),
                bash(f"mkdir here; {move} cd here", "leave"),
                read,
                ToolCall("Write", {"file_path": path, "content": "#!/bin/sh\n"}, id="write"),
                Say("done"),
            ],
        )
        assert session.ran("link", "leave", "read")
        assert STOPPED in session.tool_results()["write"].text
        assert client.read_text() == before
