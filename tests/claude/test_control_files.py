"""Files of a session of the real Claude Code are saved and put back by requests."""

from pathlib import Path

from handrail.model.control import ControlCommand
from handrail.testing.model_server import Answer, ModelRequest, Say
from tests.claude.controlled import ControlledSession
from tests.claude.supervised import bash, supervised


def test_files_go_back_to_a_checkpoint_by_a_request(claude: Path) -> None:
    with supervised() as world:
        held: list[str] = []

        def save(_: ModelRequest) -> Answer:
            held.append(
                str(ann.do(ControlCommand.CHECKPOINT, run, text="good").payload["checkpoint"])
            )
            return bash("echo worse > README.md; touch extra", "worse")

        def go_back(_: ModelRequest) -> Answer:
            ann.do(ControlCommand.ROLLBACK, run, text=held[0])
            return bash("cat README.md > seen", "look")

        session = ControlledSession.begin(world, [bash("ls", "first"), save, go_back, Say("Done.")])
        ann, run = session.ann, session.run
        ended = session.wait()
        assert ended.ran("first", "worse", "look")
        assert (world.repo / "seen").read_text() == "# A shop\n"
        assert not (world.repo / "extra").exists()
