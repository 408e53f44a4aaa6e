"""Pictures by the program scrot, where mss cannot be used."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from PIL import Image

from handrail.desktop.capture.screen_layout import ScreenLayout
from handrail.desktop.capture.screenshot import CaptureTarget
from handrail.desktop.errors import CaptureError, MissingPackageError

_SECONDS = 20.0
_MEMORY = "/dev/shm"
_FORMAT = "ppm"
"""Without losses, and without the time that the compression of a PNG takes."""


class ScrotBackend:
    """Starts the program for each picture."""

    name = "scrot"

    def __init__(
        self,
        display: str = "",
        program: str = "scrot",
        *,
        seconds: float = _SECONDS,
        memory: str = _MEMORY,
    ) -> None:
        """`memory`: a folder in memory, where there is one; otherwise the usual one is used."""
        found = shutil.which(program)
        if found is None:
            raise MissingPackageError(program, "sudo apt-get install scrot")
        self._program = found
        self._display = display
        self._seconds = seconds
        self._memory = memory
        self._layout = ScreenLayout(display)

    def grab(self, target: CaptureTarget) -> Image.Image:
        """Return the pixels; raises NoDisplayError, NoWindowError or CaptureError."""
        area = self._layout.area(target)
        part = f"{area.x},{area.y},{area.width},{area.height}"
        # Not every version writes to its output, so it gets a folder that only we can enter.
        with tempfile.TemporaryDirectory(prefix="handrail-", dir=self._folder()) as folder:
            file = Path(folder, f"screen.{_FORMAT}")
            self._run("--autoselect", part, "--silent", str(file))
            try:
                with Image.open(file) as picture:
                    return picture.convert("RGB")
            except OSError as error:
                raise CaptureError(f"scrot wrote no picture: {error}") from error

    def close(self) -> None:
        """Close the connection to the display."""
        self._layout.close()

    def _folder(self) -> str | None:
        return self._memory if os.access(self._memory, os.W_OK | os.X_OK) else None

    def _run(self, *arguments: str) -> None:
        named = ("--display", self._display) if self._display else ()
        try:
            subprocess.run(
                (self._program, *named, *arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                umask=0o077,
                timeout=self._seconds,
                check=True,
            )
        except subprocess.TimeoutExpired as error:
            raise CaptureError(f"scrot took more than {self._seconds:g} s") from error
        except subprocess.CalledProcessError as error:
            said = " ".join(error.stderr.decode(errors="replace").split())
            # It says so if the display was lost in between.
            self._layout.area(CaptureTarget())
            raise CaptureError(f"scrot ended with {error.returncode}: {said}") from error
        except OSError as error:
            raise CaptureError(f"scrot cannot be started: {error}") from error
