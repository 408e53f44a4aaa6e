"""Run the daemon: its lock, its event loop, its servers and its regular work."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Mapping

import uvloop

from handrail import __version__
from handrail.server.daemon import Daemon
from handrail.server.file_limit import raise_file_limit
from handrail.server.home import Home
from handrail.server.http.servers import Servers
from handrail.server.listening_sockets import ListeningSockets
from handrail.server.lock import HeldLock, daemon_lock
from handrail.server.retention import tidy_daily
from handrail.server.self_repair import SelfRepair, repair_regularly
from handrail.server.threads.garbage_collection import collect_when_idle, freeze_long_lived_objects

_log = logging.getLogger(__name__)

_SWITCH = 0.001
"""Seconds after which a busy thread lets the others go on."""


def serve(home: Home, environ: Mapping[str, str], sockets: ListeningSockets) -> None:
    """Run the daemon behind two sockets until a signal ends it.

    Raises AlreadyRunningError or HomeError.
    """
    sys.setswitchinterval(_SWITCH)
    raise_file_limit()
    # Its terminal may close: the daemon stays.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with (
        daemon_lock(home) as lock,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        contextlib.closing(Daemon(home, environ, runner.get_loop())) as daemon,
    ):
        freeze_long_lived_objects()
        runner.run(_serve(daemon, sockets, lock))
        runner.close()  # what still runs beside the loop needs the daemon


async def _serve(daemon: Daemon, sockets: ListeningSockets, lock: HeldLock) -> None:
    home = daemon.home
    servers = Servers(
        daemon.app(),
        daemon.hook_endpoint.begin,
        daemon.panel,
        hook_token=home.hook_token,
        control_token=home.control_token,
    )
    # It remembers the small files before anybody knows that the daemon is there.
    repair = SelfRepair(home, lock)
    servers.add_path(sockets.path)
    servers.add_port(sockets.port)
    if listener := daemon.panel.listener():
        servers.add_panel(*listener)

    def stop() -> None:
        daemon.pauses.close()
        daemon.api.stop()
        servers.stop()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    daemon.open(lock.left_by)
    await servers.started()
    _log.info("Handrail %s supervises, process %d", __version__, os.getpid())
    link = daemon.link(sockets)
    tasks = [
        asyncio.create_task(link.keep()),
        asyncio.create_task(repair_regularly(repair, link, servers, daemon.tell_repair, stop)),
        asyncio.create_task(daemon.control_endpoint.look_into_topic()),
        asyncio.create_task(daemon.driver_watch.keep()),
        asyncio.create_task(daemon.usage.keep()),
        asyncio.create_task(daemon.fleets.keep()),
        asyncio.create_task(daemon.fleet_checkpoints.finish_interrupted()),
        asyncio.create_task(daemon.leases.keep()),
        asyncio.create_task(daemon.api.live.keep()),
        asyncio.create_task(
            tidy_daily(daemon.supervision, daemon.retention, daemon.remove_incidents)
        ),
        asyncio.create_task(collect_when_idle(daemon.supervision)),
    ]
    await servers.ended()
    for task in tasks:
        task.cancel()
    await daemon.opinions.close()
    _log.info("Handrail ends")
