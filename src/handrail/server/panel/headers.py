"""The headers that tell a browser what a page of ours may do: nothing that it does not need."""

from collections.abc import Mapping

from starlette.types import Message, Send

_COMMON = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"x-frame-options": b"DENY",
}
PAGE_HEADERS: Mapping[bytes, bytes] = {
    **_COMMON,
    b"content-security-policy": b"default-src 'self'; object-src 'none'; base-uri 'none'; "
    b"form-action 'self'; frame-ancestors 'none'",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
}
API_HEADERS: Mapping[bytes, bytes] = {
    **_COMMON,
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'; sandbox",
}


def with_headers(send: Send, headers: Mapping[bytes, bytes]) -> Send:
    """Return a `send` that adds headers; those of the answer itself win."""

    async def adding(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", ()))
            known = {name.lower() for name, _ in own}
            own.extend((name, value) for name, value in headers.items() if name not in known)
            message = {**message, "headers": own}
        await send(message)

    return adding
