"""redis-cli: options with values, commands on the input, scripts in Lua."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

DANGEROUS = [
    ("redis-cli --show-pushes no FLUSHALL", "destroy high"),
    ("redis-cli --cursor 0 FLUSHALL", "destroy high"),
    ("redis-cli --tls-ciphers X --top 5 FLUSHDB", "destroy high"),
    ("redis-cli --cluster call 10.0.0.1:7000 FLUSHALL", "destroy high"),
    ("redis-cli --cluster call --cluster-only-masters h:7000 FLUSHALL", "destroy high"),
    ("redis-cli --cluster fix h:7000", "destroy high"),
    ("printf '\"FLUSHALL\"\\n' | redis-cli", "destroy high"),
    ("redis-cli <<< '\"\\x46LUSHALL\"'", "destroy high"),
    ("redis-cli <<< '3 flushdb'", "destroy high"),
    ("redis-cli --quoted-input '\"\\x46LUSHALL\"'", "destroy high"),
    ('redis-cli EVAL \'return redis.call("FLUSH" .. "A" .. "LL")\' 0', "destroy high"),
    ("redis-cli EVAL \"local c='flushall' return redis.call(c)\" 0", "destroy high"),
    ("redis-cli EVAL 'return redis.call(unpack(ARGV))' 0 FLUSHALL", "destroy high"),
    ("redis-cli EVAL 'return redis.call((\"llahsulf\"):reverse())' 0", "unseen high"),
    ("redis-cli EVAL \"redis.call('del', unpack(redis.call('keys','*')))\" 0", "destroy high"),
    ('echo "EVAL \\"return redis.call(\'FLUSHALL\')\\" 0" | redis-cli', "destroy high"),
    ("redis-cli EVAL \"return redis.call('DEL', KEYS[1])\" 1 k", "destroy medium"),
    ("echo FLUSHALL | nc localhost 6379", "destroy high"),
    ("echo flush_all | nc -q1 localhost 11211", "destroy high"),
    ("telnet localhost 11211 <<< flush_all", "destroy high"),
    ("socat - TCP:localhost:6379 <<< FLUSHALL", "destroy high"),
    ("memcached-tool localhost:11211 flush_all", "destroy high"),
    ("redis-cli ACL SETUSER default on nopass '+@all'", "privilege high"),
    ("redis-cli XTRIM s MAXLEN 0", "destroy high"),
]

EVERYDAY = [
    "redis-cli --scan --pattern 'a:*' --count 100",
    "redis-cli --cluster call h:7000 PING",
    "echo stats | nc localhost 11211",
    "printf 'GET x' | nc localhost 6379",
    "redis-cli XTRIM s MAXLEN 1000",
    "redis-cli SET note FLUSHALL",
    "echo 'SET note \"FLUSHALL now\"' | redis-cli",
    "redis-cli EVAL \"return redis.call('SET', KEYS[1], 'flushall')\" 1 k",
]


@pytest.mark.parametrize(("command", "expected"), DANGEROUS)
def test_danger_is_seen(effects: Effects, command: str, expected: str) -> None:
    assert expected in {f"{effect.kind} {effect.severity}" for effect in effects(command)}


@pytest.mark.parametrize("command", EVERYDAY)
def test_everyday_work_is_left_alone(effects: Effects, command: str) -> None:
    found = [effect for effect in effects(command) if effect.kind not in PATH_KINDS]
    assert not [effect.text for effect in found if effect.severity > Severity.LOW]
