"""Blocking work for callers in an event loop: each call in a thread of its own.

A pool would do until a run is paused: the calls that wait would fill it, and nothing could resume.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def start_in_thread(function: Callable[[], T]) -> "Future[T]":
    """Begin to run a function in a new thread."""
    done: Future[T] = Future()

    def work() -> None:
        try:
            value = function()
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits
            done.set_exception(error)
        else:
            done.set_result(value)

    done.set_running_or_notify_cancel()  # what has begun is not taken back
    threading.Thread(target=work, name="handrail", daemon=True).start()
    return done
