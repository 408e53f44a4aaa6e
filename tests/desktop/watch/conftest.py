"""A watch over a scripted screen: real run and real bookkeeping, no display."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.server.daemon_sandbox import DaemonSandbox

from handrail import Supervisor
from handrail.config.desktop import Desktop
from handrail.desktop.capture.screenshot import CaptureTarget, Screenshot
from handrail.desktop.errors import DesktopError
from handrail.desktop.screen_reading import ScreenReading
from handrail.desktop.watch.checker import CheckTools, ScreenChecker, ScreenLook
from handrail.desktop.watch.run_link import SupervisedLink
from handrail.desktop.watch.symptom_ledger import SymptomLedger
from handrail.desktop.watch.watch import ScreenWatch
from handrail.desktop.watch.worker_hold import WorkerHold
from handrail.model.desktop import DesktopCheck, RecoveryStep, ScreenStatus
from handrail.testing.desktop_fakes import FakeReader, FakeWorker

NORMAL = ScreenReading(ScreenStatus.NORMAL, 0.95, "cart.py is open", source="local")
SAVE = ScreenReading(
    ScreenStatus.DIALOG,
    0.97,
    '"Save changes to cart.py?" blocks the editor',
    ("press Escape",),
    source="local",
    symptom="dialog:Save changes to cart.py?",
    window_title="cart.py - Editor",
)
STAYS = (SAVE,) * 5
"""A dialog that is there at each look, until the watch believes it."""
LEAVE = ScreenReading(
    ScreenStatus.DIALOG,
    0.96,
    '"Leave app?" blocks the editor',
    ("press Escape",),
    source="local",
    symptom="dialog:Leave app?",
)


class FakeSeconds:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class ScriptedWatch:
    """A watch, with everything that it touches."""

    def __init__(self, supervisor: Supervisor, settings: Desktop) -> None:
        self.screen = FakeReader(NORMAL)
        self.worker = FakeWorker()
        self.clock = FakeSeconds()
        self.supervisor = supervisor
        self.recovered: list[ScreenLook] = []
        self.steps: tuple[RecoveryStep, ...] | DesktopError = (RecoveryStep("press Escape"),)
        self.wrong = ""
        """What is wrong with the open file after a recovery."""
        self.checks: list[DesktopCheck] = []
        self.critical: list[DesktopCheck] = []
        self.pictures = 0
        self.closed = threading.Event()
        ending = threading.Event()
        link = SupervisedLink(supervisor)
        hold = WorkerHold(self.worker)
        self.settings = settings
        ledger = SymptomLedger(
            retries=settings.max_retries,
            cooldown_seconds=settings.min_cooldown_seconds,
            quiet_seconds=settings.interval_seconds,
            clock=self.clock,
        )
        self._make: Callable[[FakeReader | None], ScreenWatch] = lambda model: ScreenWatch(
            ScreenChecker(
                self._tools(model),
                link,
                self.worker,
                hold,
                ledger,
                target=CaptureTarget(),
                confidence=settings.confidence_threshold,
                is_stopping=ending.is_set,
            ),
            link,
            self.worker,
            hold,
            ledger,
            settings,
            target="the screen",
            ending=ending,
            on_check=self.checks.append,
            on_critical_failure=self.critical.append,
            close=self.closed.set,
        )
        self.watch = self._make(None)

    def ask_model(self, model: FakeReader) -> None:
        """Let a model be asked from now on."""
        self.watch = self._make(model)

    def _tools(self, model: FakeReader | None) -> CheckTools:
        return CheckTools(
            self._capture,
            self.screen,
            model,
            self._recover,
            self._keep,
            self._verify,
            lambda seconds: None,
        )

    def _capture(self, target: CaptureTarget) -> Screenshot:
        return Screenshot(b"jpeg", 640, 480, self.clock())

    def _recover(self, look: ScreenLook, expected: str) -> tuple[RecoveryStep, ...]:
        self.recovered.append(look)
        if isinstance(self.steps, DesktopError):
            raise self.steps
        return self.steps

    def _keep(self, screenshot: Screenshot) -> str:
        self.pictures += 1
        return f"{self.pictures}.jpg"

    def _verify(self, file: str) -> str:
        return self.wrong


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    """A run in this process."""
    with DaemonSandbox() as sandbox:
        made = Supervisor(folder=tmp_path, environ=sandbox.environ)
        yield made
        made.close()


@pytest.fixture
def scripted(supervisor: Supervisor) -> Iterator[ScriptedWatch]:
    """A watch whose screen is scripted; looks wait no time between two readings."""
    made = ScriptedWatch(supervisor, Desktop(interval_seconds=600, max_retries=2))
    yield made
    made.watch.stop()
