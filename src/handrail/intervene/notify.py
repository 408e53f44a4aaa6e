"""Send messages to people by Apprise, in a thread of its own: no review waits for one."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Full, Queue
from time import monotonic

import msgspec

from handrail.config.notify import MissingVariableError, Notify, fill_in_variables

_log = logging.getLogger(__name__)

_HOUR = 3600.0
_WAITS = (1.0, 5.0, 25.0)
"""Seconds before each new try."""
_MAX_WAITING = 100
_MAX_BODY = 3000


class Notification(msgspec.Struct, frozen=True):
    """A message to people. Its author has taken the secrets out."""

    title: str
    body: str
    urgent: bool = False
    """Send it even beyond the limit per hour."""


class NotSentError(Exception):
    """A message did not reach every address."""

    def __init__(self, left: Mapping[str, str]) -> None:
        """`left`: the addresses that it did not reach, and why."""
        super().__init__("; ".join(left.values()))
        self.left = left


Send = Callable[[tuple[str, ...], Notification], None]


def send_notification(urls: tuple[str, ...], message: Notification) -> None:
    """Send a message now; raises NotSentError."""
    # Only here: it takes a quarter of a second and 20 MB, and most people have no addresses.
    import apprise  # noqa: PLC0415

    left = {}
    for url in urls:
        service = apprise.Apprise.instantiate(url)
        if service is None:
            left[url] = f"{_scheme(url)} is not an address that Apprise understands"
        elif not service.notify(title=message.title, body=message.body):
            left[url] = f"{_scheme(url)} did not take the message"
    if left:
        raise NotSentError(left)


class Notifier:
    """Send messages one after the other, within a limit, with retries."""

    def __init__(
        self,
        secrets: Callable[[], Mapping[str, str]],
        *,
        failed: Callable[[str], None] = lambda says: None,
        deliver: Send = send_notification,
        now: Callable[[], float] = monotonic,
        waits: tuple[float, ...] = _WAITS,
    ) -> None:
        """`failed`: called in the notifier's thread with the reason for giving up a message."""
        self._secrets = secrets
        self._failed = failed
        self._deliver = deliver
        self._now = now
        self._waits = waits
        self._queue: Queue[tuple[tuple[str, ...], Notification] | None] = Queue(_MAX_WAITING)
        self._sent: deque[float] = deque()
        self._left_out = 0
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def tell(self, settings: Notify, message: Notification) -> None:
        """Queue a message, if there is an address. Returns at once."""
        if not settings.urls or self._closing.is_set():
            return
        if not message.urgent and not self._may_send(settings.per_hour):
            self._left_out += 1
            return
        try:
            self._queue.put_nowait((settings.urls, self._counted(message)))
        except Full:
            self._left_out += 1
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="notifier", daemon=True)
            self._thread.start()

    def close(self, seconds: float = 2.0) -> None:
        """Send pending messages for a moment; then give up."""
        self._closing.set()
        if self._thread is not None:
            with suppress(Full):  # a thread that busy is not worth the wait
                self._queue.put(None, timeout=seconds)
                self._thread.join(seconds)

    def _may_send(self, per_hour: int) -> bool:
        now = self._now()
        while self._sent and now - self._sent[0] >= _HOUR:
            self._sent.popleft()
        if len(self._sent) >= per_hour:
            return False
        self._sent.append(now)
        return True

    def _counted(self, message: Notification) -> Notification:
        """Shorten the message, and add the number of omitted ones before it."""
        body = message.body
        if len(body) > _MAX_BODY:
            body = f"{body[:_MAX_BODY]} …"
        if self._left_out:
            body += f"\n\n{self._left_out} more in the last hour were not sent (notify.per_hour)."
            self._left_out = 0
        return msgspec.structs.replace(message, body=body)

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            try:
                if problem := self._filled(*work):
                    _log.warning("a message was not sent: %s", problem)
                    self._failed(problem)
            except Exception:  # noqa: BLE001 - the next message may be more fortunate
                _log.exception("a message was not sent")

    def _filled(self, urls: tuple[str, ...], message: Notification) -> str:
        try:
            secrets = self._secrets()
            return self._try(tuple(fill_in_variables(url, secrets) for url in urls), message)
        except (MissingVariableError, OSError) as error:
            return str(error)

    def _try(self, urls: tuple[str, ...], message: Notification) -> str:
        """Send with retries; return the last problem, or ""."""
        problem = ""
        for wait in (0.0, *self._waits):
            if wait and self._closing.wait(wait):
                break
            try:
                self._deliver(urls, message)
            except NotSentError as error:
                problem = str(error)
                urls = tuple(error.left)
            except Exception as error:  # noqa: BLE001 - some plugin of many; the run goes on
                problem = f"{type(error).__name__} in Apprise"
            else:
                return ""
        return problem


def _scheme(url: str) -> str:
    """Return the scheme of an address: the rest is secret."""
    return f"{url.partition('://')[0]}://…"
