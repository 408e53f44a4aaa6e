"""`make fuzz`: random input for the parsers, for FUZZ_SECONDS; a smoke test without it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import HealthCheck, given, seed, settings
from tests.fuzz import target
from tests.fuzz.mutate import mutated, seeds

SECONDS = float(os.environ.get("FUZZ_SECONDS", "2"))
PATIENCE = 10.0
SLOW = 0.1
"""Reported, never a failure: the machine may be busy."""


def test_fuzz(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if find_spec("atheris") is not None and "FUZZ_SECONDS" in os.environ:
        _with_atheris(tmp_path)
        return
    tried, slowest, hung = _with_hypothesis()
    assert not hung
    with capsys.disabled():
        if "FUZZ_SECONDS" in os.environ:
            print(f"\n{tried:,} inputs; the slowest review took {slowest[0] * 1000:.0f} ms")  # noqa: T201
            if slowest[0] > SLOW:
                print(ascii(slowest[1]))  # noqa: T201
    assert tried


def _with_hypothesis() -> tuple[int, tuple[float, str], list[str]]:
    """Round after round with another seed, each of which can be repeated."""
    hung: list[str] = []
    end = monotonic() + SECONDS
    tried, slowest = 0, (0.0, "")

    @given(mutated())
    @settings(max_examples=100, suppress_health_check=list(HealthCheck), print_blob=True)
    def once(text: str) -> None:
        nonlocal tried, slowest
        tried += 1
        try:
            with _patience():
                slowest = max(slowest, (target.check(text), text))
        except TimeoutError:  # kept rather than raised, because it would be shrunk for minutes
            hung.append(ascii(text))

    rounds = 0
    while monotonic() < end and not hung:
        rounds += 1
        seed(rounds)(once)()
    return tried, slowest, hung


@contextmanager
def _patience() -> Iterator[None]:
    """Raises TimeoutError in what takes far too long."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _with_atheris(corpus: Path) -> None:
    for number, text in enumerate(seeds()):
        (corpus / str(number)).write_bytes(text.encode("utf-8", "surrogateescape"))
    argv = [sys.executable, target.__file__, f"-max_total_time={SECONDS:.0f}", str(corpus)]
    subprocess.run(argv, check=True)


@pytest.mark.parametrize("text", ["", "rm -rf /etc", "echo '", "$(" * 100, "\0", "\udc80"])
def test_the_target_takes_any_text(text: str) -> None:
    assert target.check(text) >= 0
