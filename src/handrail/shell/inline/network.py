"""Effects of functions that talk to another machine."""

from handrail.model.effect import Kind
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import Call, CallEffect
from handrail.shell.inline.value import ENVIRON, FILE, NONE, REMOTE, Value, truthy
from handrail.shell.word import OPAQUE


def web(
    at: int = 0, name: str = "url", *, kind: Kind = Kind.FETCH, data_at: int = 99
) -> CallEffect:
    """Requests a web address; sends if given data or a sending method."""

    def act(found: EffectCollector, call: Call) -> Value | None:
        url = call.get(at, name) or call.named.get("url") or call.named.get("uri")
        if url is None:
            return None
        how = call.named.get("method") or NONE
        data = call.get(data_at, "data")
        sends = (
            kind is Kind.SEND
            or how.text.strip(":").upper() in _SENDING
            or (data is not None and data.type != "None")
            or any(truthy(call.named.get(key)) for key in _BODIES)
            or url.type == "sending"
            or bool(url.flags & (FILE | ENVIRON))
        )
        for each in url.choices or (url,):
            found.reach(Kind.SEND if sends else kind, each.text, call.flags)
        return Value(type="response", flags=REMOTE, source=url.text)

    return act


_SENDING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_BODIES = ("json", "files", "body", "content", "fields", "form", "params_body")


def web_by_method(method_at: int = 0, url_at: int = 1) -> CallEffect:
    """`request("POST", url)`."""
    plain, sending = web(url_at), web(url_at, kind=Kind.SEND)

    def act(found: EffectCollector, call: Call) -> Value | None:
        how = call.get(method_at, "method") or NONE
        return (sending if how.text.upper() in _SENDING else plain)(found, call)

    return act


def connects(at: int = 0, name: str = "host", *, port_at: int | None = None) -> CallEffect:
    """Opens a connection to a host."""

    def act(found: EffectCollector, call: Call) -> Value | None:
        host = call.get(at, name)
        if host is None:
            return None
        words = [host] if host.items is None else list(host.items[:2])
        if port_at is not None and host.items is None:
            words += call.args[port_at : port_at + 1]
        return found.connect(":".join(word.text for word in words))

    return act


def sends(at: int | None = None) -> CallEffect:
    """Sends its arguments over the last connection, or to an address."""

    def act(found: EffectCollector, call: Call) -> None:
        address = call.get(at) if at is not None else None
        words = [] if address is None else list(address.items or (address,))[:2]
        target = ":".join(word.text for word in words) or found.host or OPAQUE
        found.reach(Kind.SEND, target, call.flags)

    return act
