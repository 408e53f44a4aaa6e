"""Decode hidden text without running the code."""

import base64
import binascii
import codecs
import zlib
from collections.abc import Callable, Sequence
from urllib.parse import unquote

import msgspec

from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import Call, CallEffect
from handrail.shell.inline.value import DECODED, MAX_TEXT, Value, flags_of

_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "base64": base64.b64decode,
    "base64url": base64.urlsafe_b64decode,
    "base32": base64.b32decode,
    "base16": lambda data: base64.b16decode(data, casefold=True),
    "base85": base64.b85decode,
    "ascii85": base64.a85decode,
    "hex": lambda data: binascii.unhexlify(b"".join(data.split())),
    "rot13": lambda data: codecs.encode(data.decode("latin-1"), "rot13").encode("latin-1"),
    "zlib": lambda data: zlib.decompressobj(47).decompress(data, MAX_TEXT),
    "deflate": lambda data: zlib.decompressobj(-15).decompress(data, MAX_TEXT),
    "url": lambda data: unquote(data.decode("latin-1"), "latin-1").encode("latin-1"),
    "reverse": lambda data: data[::-1],
}


def decode(form: str, value: Value) -> Value:
    """Decode a text; flag it as decoded even if that fails."""
    decoder = _DECODERS.get(form)
    if decoder is None or not value.exact:
        return Value(type="bytes", flags=value.flags | DECODED)
    try:
        data = decoder(value.text.encode("latin-1"))
    except (ValueError, zlib.error, UnicodeError):
        return Value(type="bytes", flags=value.flags | DECODED)
    return Value(data.decode("latin-1")[:MAX_TEXT], type="bytes", flags=value.flags | DECODED)


def decodes(form: str, at: int = 0, kind: str = "bytes") -> CallEffect:
    """Decodes an argument."""

    def act(_found: EffectCollector, call: Call) -> Value | None:
        value = call.get(at)
        if value is None:
            return Value(flags=DECODED)
        return msgspec.structs.replace(decode(form, value), type=kind)

    return act


def characters(values: Sequence[Value], flags: int = DECODED, kind: str = "") -> Value:
    """Build a text from character codes."""
    numbers = [value.number for value in values]
    known = [number for number in numbers if number is not None and 0 <= number < 0x110000]
    if len(known) != len(values):
        return Value(type=kind, flags=flags | flags_of(values))
    return Value("".join(map(chr, known))[:MAX_TEXT], type=kind, flags=flags)


def from_characters(_found: EffectCollector, call: Call) -> Value:
    """`chr(114)`, `String.fromCharCode(114, 109)`, `string.char(114, 109)`."""
    values: list[Value] = []
    for value in call.args:
        values += [value] if value.items is None else value.items
    return characters(values)
