"""How agents are stopped without a daemon: a file, at which the hook of each call looks."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

_HOOK = '[ ! -e "$0/pause" ] || : > "$0/seen"'
"""The least that a hook can do: see the file, and leave a note that it was seen."""
_LOOK = 0.001


async def sentinel_times(agents: int, rate: float, seconds: float) -> list[float]:
    """Seconds from the file to the note, of agents that make calls at a steady rate."""
    with _folders(agents) as folders:
        working = [
            asyncio.create_task(_work(folder, number / agents / rate, 1 / rate))
            for number, folder in enumerate(folders)
        ]
        found = await asyncio.gather(
            *(_control(folder, Random(number), seconds) for number, folder in enumerate(folders))
        )
        for each in working:
            each.cancel()
        await asyncio.gather(*working, return_exceptions=True)
    return [each for times in found for each in times]


async def _work(folder: Path, late: float, every: float) -> None:
    """An agent: a process for the hook of each call."""
    due = perf_counter() + late
    while True:
        await asyncio.sleep(max(0.0, due - perf_counter()))
        hook = await asyncio.create_subprocess_exec("sh", "-c", _HOOK, str(folder))
        await hook.wait()
        due += every


async def _control(folder: Path, random: Random, seconds: float) -> list[float]:
    """A controller: it asks at any moment, and looks every millisecond whether it was heard."""
    file, note = folder / "pause", folder / "seen"
    times = []
    until = perf_counter() + seconds
    while perf_counter() < until:
        await asyncio.sleep(random.uniform(0.0, 0.2))
        began = perf_counter()
        file.touch()
        while not note.exists():
            await asyncio.sleep(_LOOK)
        times.append(perf_counter() - began)
        file.unlink()
        note.unlink()
    return times


@contextmanager
def _folders(many: int) -> Iterator[list[Path]]:
    with TemporaryDirectory() as root:
        folders = [Path(root) / str(number) for number in range(many)]
        for folder in folders:
            folder.mkdir()
        yield folders
