"""People are told by real mail and real web requests, and nothing ever waits for that."""

import json
import socket
import threading
from collections.abc import Iterator
from email import message_from_bytes
from email.policy import default
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from handrail.config.notify import Notify
from handrail.intervene.notify import Notification, Notifier, NotSentError, send_notification

MESSAGE = Notification("Handrail stopped shop-3f2a", "The same error came 5 times.", urgent=True)


class SmtpServer:
    """A real SMTP server that keeps what it gets."""

    def __init__(self) -> None:
        self.mails: list[bytes] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._controller = Controller(self, hostname="127.0.0.1", port=self._port)
        self._controller.start()

    async def handle_DATA(  # noqa: N802 - their name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        assert isinstance(envelope.content, bytes)
        self.mails.append(envelope.content)
        return "250 OK"

    @property
    def url(self) -> str:
        return f"mailto://example.com:{self._port}?smtp=127.0.0.1&from=handrail@example.com&to=you@example.com&mode=insecure"

    def close(self) -> None:
        self._controller.stop()


class Receiver:
    """A real HTTP server that keeps what it gets, after failing as often as it is told."""

    def __init__(self) -> None:
        self.got: list[dict[str, object]] = []
        self.failures = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if outer.failures:
                    outer.failures -= 1
                    self.send_response(503)
                else:
                    outer.got.append(json.loads(body))
                    self.send_response(200)
                self.end_headers()

            def log_message(self, *args: object) -> None:
                """Tests are quiet."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"json://127.0.0.1:{self._server.server_port}/hook"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def postbox() -> Iterator[SmtpServer]:
    box = SmtpServer()
    yield box
    box.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    yield server
    server.close()


def test_a_mail_arrives(postbox: SmtpServer) -> None:
    send_notification((postbox.url,), MESSAGE)
    mail = message_from_bytes(postbox.mails[0], policy=default)
    assert mail["Subject"] == MESSAGE.title
    body = mail.get_body(("plain", "html"))
    assert body is not None
    assert MESSAGE.body in body.get_content()


def test_a_web_request_arrives(receiver: Receiver) -> None:
    send_notification((receiver.url,), MESSAGE)
    assert [(got["title"], got["message"]) for got in receiver.got] == [
        (MESSAGE.title, MESSAGE.body)
    ]


def test_an_address_that_makes_no_sense_is_named_without_its_password() -> None:
    with pytest.raises(NotSentError) as caught:
        send_notification(("carrier-pigeon://you:s3cret@loft",), MESSAGE)
    assert str(caught.value) == ("carrier-pigeon://… is not an address that Apprise understands")


class NotifierSetup:
    """A notifier whose deliveries, failures and clock are in the test's hands."""

    def __init__(self, *, fails: int = 0) -> None:
        self.time = 0.0
        self.fails = fails
        self.delivered: list[tuple[tuple[str, ...], Notification]] = []
        self.tries = 0
        self.problems: list[str] = []
        self.notifier = Notifier(
            lambda: {"TOKEN": "t0ken"},
            failed=self.problems.append,
            deliver=self._deliver,
            now=lambda: self.time,
            waits=(0.001, 0.001),
        )

    def _deliver(self, urls: tuple[str, ...], message: Notification) -> None:
        self.tries += 1
        if self.fails:
            self.fails -= 1
            raise NotSentError({urls[-1]: "json://… did not take the message"})
        self.delivered.append((urls, message))

    def tell(self, *messages: Notification, settings: Notify) -> list[str]:
        for message in messages:
            self.notifier.tell(settings, message)
        self.notifier.close(10)
        return [message.body for _, message in self.delivered]


def test_without_addresses_nothing_is_started() -> None:
    desk = NotifierSetup()
    before = threading.active_count()
    desk.notifier.tell(Notify(), MESSAGE)
    assert threading.active_count() == before
    assert desk.tries == 0


def test_a_variable_is_filled_in() -> None:
    desk = NotifierSetup()
    desk.tell(MESSAGE, settings=Notify(("json://host/${TOKEN}",)))
    assert desk.delivered[0][0] == ("json://host/t0ken",)


def test_a_missing_variable_is_a_failure_that_names_it() -> None:
    desk = NotifierSetup()
    desk.tell(MESSAGE, settings=Notify(("json://host/${OTHER}",)))
    assert desk.problems == ["OTHER is not in secrets.env in Handrail's state folder"]


def test_more_than_so_many_an_hour_are_not_sent_and_counted_in_the_next() -> None:
    desk = NotifierSetup()
    settings = Notify(("json://host",), per_hour=2)
    for number in range(5):
        desk.notifier.tell(settings, Notification("t", f"message {number}"))
    desk.time += 3601
    sent = desk.tell(Notification("t", "later"), settings=settings)
    assert sent == [
        "message 0",
        "message 1",
        "later\n\n3 more in the last hour were not sent (notify.per_hour).",
    ]


def test_an_emergency_is_sent_however_many_there_were() -> None:
    desk = NotifierSetup()
    settings = Notify(("json://host",), per_hour=1)
    sent = desk.tell(
        Notification("t", "one"), Notification("t", "two", urgent=True), settings=settings
    )
    assert sent == ["one", "two"]


def test_what_fails_is_tried_again_where_it_failed(receiver: Receiver) -> None:
    receiver.failures = 2
    steady = Receiver()
    notifier = Notifier(dict, waits=(0.001, 0.001, 0.001))
    notifier.tell(Notify((steady.url, receiver.url)), MESSAGE)
    # It gives up its waiting when it is closed: let it finish first.
    notifier._queue.put(None)
    assert notifier._thread is not None
    notifier._thread.join(20)
    steady.close()
    assert (len(steady.got), len(receiver.got)) == (1, 1)


def test_what_fails_for_good_is_reported_once() -> None:
    desk = NotifierSetup(fails=99)
    desk.notifier.tell(Notify(("json://host",)), MESSAGE)
    desk.notifier._queue.put(None)
    assert desk.notifier._thread is not None
    desk.notifier._thread.join(10)
    assert (desk.tries, desk.problems) == (3, ["json://… did not take the message"])


def test_a_long_message_is_cut() -> None:
    desk = NotifierSetup()
    [body] = desk.tell(Notification("t", "x" * 10_000), settings=Notify(("json://host",)))
    assert len(body) < 3100


def test_what_breaks_over_one_message_does_not_keep_back_the_next() -> None:
    sent: list[str] = []
    done = threading.Event()
    broken = [True]

    def read() -> dict[str, str]:
        if broken:
            broken.clear()
            raise ValueError("not a file of secrets")
        return {}

    def deliver(urls: tuple[str, ...], message: Notification) -> None:
        sent.append(message.title)
        done.set()

    notifier = Notifier(read, deliver=deliver)
    for title in ("first", "second"):
        notifier.tell(Notify(urls=("json://127.0.0.1",)), Notification(title, "", urgent=True))
    assert done.wait(10)
    notifier.close()
    assert sent == ["second"]


def test_nobody_waits_for_a_service_that_hangs() -> None:
    hangs = threading.Event()

    def deliver(urls: tuple[str, ...], message: Notification) -> None:
        hangs.wait()

    notifier = Notifier(dict, deliver=deliver)
    for number in range(200):
        message = Notification(str(number), "", urgent=True)
        notifier.tell(Notify(urls=("json://127.0.0.1",)), message)
    closing = threading.Thread(target=notifier.close, args=(0.01,))
    closing.start()
    closing.join(10)
    hangs.set()
    assert not closing.is_alive()
