"""Panels that are open: reads event streams until its standard input ends, then says how much."""

import asyncio
import json
import sys
from time import perf_counter

_ASK = b"GET /api/v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"


async def _watch(path: str, many: int) -> None:
    frames = size = 0

    async def follow() -> None:
        nonlocal frames, size
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(_ASK)
        while data := await reader.read(1 << 16):
            size += len(data)
            frames += data.count(b"\ndata: ")

    began = perf_counter()
    streams = [asyncio.create_task(follow()) for _ in range(many)]
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for stream in streams:
        if stream.done():
            raise ConnectionError("a stream has ended")
        stream.cancel()
    print(json.dumps({"frames": frames, "size": size, "seconds": perf_counter() - began}))


if __name__ == "__main__":
    asyncio.run(_watch(sys.argv[1], int(sys.argv[2])))
