"""The scripted API for questions about screens."""

import json
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from handrail.testing.vision_server import VisionReply, VisionServer, sees

BODY = json.dumps({"model": "m", "messages": []})


def post(server: VisionServer, headers: dict[str, str]) -> tuple[int, dict[str, object]]:
    connection = HTTPConnection(urlsplit(server.url).netloc)
    connection.request("POST", "/v1/messages", BODY, headers)
    response = connection.getresponse()
    answer = response.status, json.loads(response.read())
    connection.close()
    return answer


@pytest.mark.parametrize("headers", [{"x-api-key": "k"}, {"Authorization": "Bearer k"}])
def test_both_headers_bring_a_key(headers: dict[str, str]) -> None:
    with VisionServer(sees("normal")) as server:
        assert post(server, headers)[0] == 200
        assert server.calls[0].key == "k"


def test_replies_come_in_order_and_the_last_one_stays() -> None:
    with VisionServer(VisionReply(status=529), VisionReply("a"), VisionReply("b")) as server:
        answers = [post(server, {}) for _ in range(4)]
    assert [status for status, _ in answers] == [529, 200, 200, 200]
    assert [answer.get("content") for _, answer in answers[1:]] == [
        [{"type": "text", "text": said}] for said in "abb"
    ]
