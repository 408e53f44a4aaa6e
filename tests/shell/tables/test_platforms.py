"""Platforms: what ends a service, a record or a backup for everyone who uses it."""

from collections.abc import Callable, Iterator
from importlib import import_module

import pytest

from handrail.model.effect import KINDS, PATH_KINDS, Effect
from handrail.model.ordinal import Severity
from handrail.model.program import Fact, Program

Effects = Callable[[str], tuple[Effect, ...]]

DANGEROUS = [
    ("kafka-consumer-groups.sh --reset-offsets --to-earliest --group g --execute", "destroy high"),
    ("kafka-configs --alter --add-config retention.ms=1 --entity-name x", "destroy high"),
    ("confluent kafka topic delete orders", "destroy high"),
    ("celery -A app purge -f", "destroy high"),
    ("algolia indices clear products -y", "destroy high"),
    ("splunk clean eventdata -index main -f", "destroy high"),
    ("grafana-cli admin reset-admin-password x", "privilege high"),
    ("sentry-cli releases delete 1.0", "destroy high"),
    ("dnscontrol push", "destroy high"),
    ("printf 'update delete example.com\\nsend\\n' | nsupdate -k key", "destroy high"),
    ("fastly backend delete --name b --version 1 --service-id x", "destroy high"),
    ("stripe subscriptions cancel sub_1", "destroy high"),
    ("stripe refunds create --charge ch_1", "change high"),
    ("stripe customers update cus_1 --live", "change high"),
    ("postsuper -d ALL", "destroy high"),
    ("ldcli flags delete --project p --flag f", "destroy high"),
    ("auth0 users delete x --force", "destroy high"),
    ("auth0 api delete users/1", "destroy high"),
    ("echo 'disable server be/web1' | socat stdio /var/run/haproxy.sock", "kill high"),
    ("nginx -s quit", "kill high"),
    ("deck gateway reset --force", "destroy high"),
    ("java -jar jenkins-cli.jar -s http://j delete-job app", "destroy high"),
    ("circleci context remove-secret github org ctx KEY", "destroy high"),
    ("wal-g delete everything FORCE", "destroy high"),
    ("tarsnap --nuke", "destroy high"),
    ("airflow db reset -y", "destroy high"),
    ("hf repo delete org/model", "destroy high"),
    ("eas submit -p ios", "publish high"),
]

EVERYDAY = [
    "kafka-consumer-groups --describe --group g",
    "kafka-consumer-groups --reset-offsets --to-earliest --group g",
    "algolia indices list",
    "stripe listen --forward-to localhost:3000/webhook",
    "stripe customers list --live",
    "auth0 --tenant foo.auth0.com users show user123",
    "auth0 api get users",
    "echo 'show stat' | socat stdio /var/run/haproxy.sock",
    "nginx -t",
    "nginx -s reload",
    "deck gateway diff",
    "jenkins-cli list-jobs",
    "circleci config validate",
    "dbt run --full-refresh",
    "airflow dags list",
    "pgbackrest info",
    "hf download org/model",
    "eas build -p ios",
]


@pytest.mark.parametrize(("command", "expected"), DANGEROUS)
def test_danger_is_seen(effects: Effects, command: str, expected: str) -> None:
    assert expected in {f"{effect.kind} {effect.severity}" for effect in effects(command)}


@pytest.mark.parametrize("command", EVERYDAY)
def test_everyday_work_goes_on(effects: Effects, command: str) -> None:
    worst = [e for e in effects(command) if e.kind not in PATH_KINDS]
    assert all(effect.severity < Severity.HIGH for effect in worst)


FAMILIES = (
    "containers", "container_tools", "kubernetes", "kubernetes_tools", "aws", "gcloud", "azure",
    "cloud", "infrastructure", "orchestration", "platforms", "delivery",
)  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
def test_whatever_is_stopped_names_another_way(family: str) -> None:
    programs = import_module(f"handrail.shell.tables.{family}").PROGRAMS
    lacking = [
        (name, fact.when)
        for name, program in programs.items()
        for fact in _facts_of(program)
        if (fact.severity or KINDS[fact.does].severity) >= Severity.HIGH
        and fact.does not in PATH_KINDS
        and not fact.instead
    ]
    assert lacking == []


def _facts_of(program: Program) -> Iterator[Fact]:
    yield from program.facts
    for subcommand in program.subcommands.values():
        yield from _facts_of(subcommand)
