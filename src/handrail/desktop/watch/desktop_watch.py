"""`handrail.desktop.Watch`: a watch made from the settings of a folder."""

import os
import threading
import time
from collections.abc import Callable, Mapping

from handrail.config.desktop import Desktop
from handrail.desktop.capture.screenshot import CaptureTarget
from handrail.desktop.errors import DesktopError
from handrail.desktop.recover.actions import RecoveryAction
from handrail.desktop.recover.file_opener import FileOpener
from handrail.desktop.watch.checker import CheckTools, ScreenChecker, ScreenLook
from handrail.desktop.watch.run_link import SupervisedLink
from handrail.desktop.watch.screen_tools import ScreenTools
from handrail.desktop.watch.symptom_ledger import SymptomLedger
from handrail.desktop.watch.watch import CheckListener, ScreenWatch
from handrail.desktop.watch.worker import DesktopWorker, NoWorker
from handrail.desktop.watch.worker_hold import WorkerHold
from handrail.library.supervisor import Supervisor
from handrail.model.desktop import RecoveryStep
from handrail.supervise.runs.project import Projects

_QUIET_INTERVALS = 3
"""A symptom is forgotten after so many intervals without it."""
_SCREEN = CaptureTarget()


class Watch(ScreenWatch):
    """Watch a screen, unstick it, and hand the worker back.

    `with Watch(worker=robot) as watch:` looks at once and then at intervals. `watch.check_now(…)`
    looks between two steps of the worker. Every look and recovery is an action of one supervised
    run, so `handrail status`, `pause` and `stop` know it.
    """

    def __init__(
        self,
        *,
        folder: str | os.PathLike[str] = ".",
        settings: Desktop | None = None,
        target: CaptureTarget = _SCREEN,
        expected_file: str = "",
        goal: str = "",
        worker: DesktopWorker | None = None,
        opener: FileOpener | None = None,
        verify: Callable[[str], str] = lambda file: "",
        on_check: CheckListener = lambda check: None,
        on_critical_failure: CheckListener = lambda check: None,
        daemon: bool = True,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Begin a run in a folder; nothing is looked at before `start` or `check_now`.

        `settings`: in place of the section `desktop` of handrail.yaml. `opener` opens a file in
        the editor by better means than keys. `verify` returns what is wrong with the open file
        after a recovery, or "". `on_check` hears of every check, `on_critical_failure` of one
        that a person has to look at; the worker stands still then. `daemon`: False keeps the run
        in this process. Raises StartError, MissingPackageError, and DesktopError for settings
        that cannot be used.
        """
        given = os.environ if environ is None else environ
        project = Projects(given).at(os.path.abspath(folder))
        if project.problem:
            raise DesktopError(f"Handrail's settings cannot be used: {project.problem}")
        config = project.config
        settings = settings or config.desktop
        worker = worker or NoWorker()
        ending = threading.Event()
        screen = ScreenTools(
            settings,
            given,
            target=target,
            wait=ending.wait,
            opener=opener,
            prices=config.prices,
            redactor=project.redactor,
        )
        where = describe_target(target)
        try:
            link = SupervisedLink(
                Supervisor(
                    goal=goal or f"watch {where}", folder=folder, daemon=daemon, environ=given
                )
            )
        except BaseException:
            screen.close()
            raise
        hold = WorkerHold(worker)
        ledger = SymptomLedger(
            retries=settings.max_retries,
            cooldown_seconds=settings.min_cooldown_seconds,
            quiet_seconds=_QUIET_INTERVALS * settings.interval_seconds,
            clock=time.monotonic,
        )

        def recover(look: ScreenLook, expected: str) -> tuple[RecoveryStep, ...]:
            def review(action: RecoveryAction) -> str:
                return link.refuses(action.text, look.sensed)

            return screen.recover(look, expected, review)

        tools = CheckTools(
            capture=screen.capture,
            local=screen.local,
            vision=screen.vision,
            recover=recover,
            keep=screen.keep,
            verify=verify if settings.verification.enabled else _nothing_wrong,
            sleep=ending.wait,
        )
        checker = ScreenChecker(
            tools,
            link,
            worker,
            hold,
            ledger,
            target=target,
            confidence=settings.confidence_threshold,
            is_stopping=ending.is_set,
        )
        super().__init__(
            checker,
            link,
            worker,
            hold,
            ledger,
            settings,
            target=where,
            ending=ending,
            on_check=on_check,
            on_critical_failure=on_critical_failure,
            interrupt=screen.interrupt,
            close=screen.close,
        )
        self.expected_file = expected_file


def describe_target(target: CaptureTarget) -> str:
    """Return what a watch looks at, in words."""
    if target.window:
        return f"the window {target.window}"
    return f"screen {target.screen}" if target.screen else "the screen"


def _nothing_wrong(file: str) -> str:
    return ""
