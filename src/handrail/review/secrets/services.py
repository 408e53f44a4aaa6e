"""Which service a token belongs to: to send it there is what it is for."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from handrail.config import compile_globs
from handrail.review.context import ReviewContext
from handrail.review.secrets.known_secrets import KnownSecret, secrets_in

_WORDS = re.compile(r"[a-z]+")
_SECOND_LEVEL = frozenset({"co", "com", "org", "net", "gov", "ac"})
_ORDINARY = frozenset(
    """
    access admin account auth client cloud config data database debug default deploy email host
    internal local login mail main master mongo mysql password postgres private prod production
    public redis root secret secure server service session signing site staging storage test
    token user webhook
    """.split()
)
"""Words in names of variables that tell no service, though somebody may own such a domain."""


class Service(msgspec.Struct, frozen=True):
    """The machines of a service, and how its tokens are known."""

    hosts: tuple[str, ...]
    names: tuple[str, ...] = ()
    """Words in the names of variables that hold its tokens."""
    begins: tuple[str, ...] = ()
    """Beginnings that only its tokens have."""


SERVICES: tuple[Service, ...] = (
    Service(("github.com", "*.github.com", "ghcr.io", "*.githubusercontent.com"),
            ("github", "gh"), ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_")),
    Service(("gitlab.com", "*.gitlab.com"), ("gitlab",), ("glpat-", "gldt-", "glrt-")),
    Service(("bitbucket.org", "*.bitbucket.org"), ("bitbucket",), ("ATBB",)),
    Service(("anthropic.com", "*.anthropic.com"), ("anthropic",), ("sk-ant-",)),
    Service(("openai.com", "*.openai.com", "*.openai.azure.com"), ("openai",), ("sk-proj-",)),
    Service(("*.googleapis.com", "*.google.com"), ("google", "gcp", "gemini", "firebase"),
            ("AIza", "ya29.")),
    Service(("*.amazonaws.com", "*.aws.amazon.com"), ("aws",), ("AKIA", "ASIA")),
    Service(("*.azure.com", "*.windows.net", "*.microsoft.com", "*.microsoftonline.com"),
            ("azure", "arm", "msal")),
    Service(("api.stripe.com", "*.stripe.com"), ("stripe",),
            ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_")),
    Service(("slack.com", "*.slack.com"), ("slack",), ("xoxb-", "xoxp-", "xapp-", "xoxe-")),
    Service(("discord.com", "*.discord.com", "discordapp.com"), ("discord",)),
    Service(("api.telegram.org",), ("telegram",)),
    Service(("registry.npmjs.org", "*.npmjs.org", "*.npmjs.com"), ("npm",), ("npm_",)),
    Service(("pypi.org", "*.pypi.org"), ("pypi", "twine"), ("pypi-",)),
    Service(("crates.io", "*.crates.io"), ("cargo", "crates")),
    Service(("rubygems.org", "*.rubygems.org"), ("rubygems", "gem"), ("rubygems_",)),
    Service(("docker.io", "*.docker.io", "*.docker.com"), ("docker", "dockerhub"), ("dckr_pat_",)),
    Service(("huggingface.co", "*.huggingface.co"), ("huggingface", "hf"), ("hf_",)),
    Service(("api.sendgrid.com", "*.sendgrid.net"), ("sendgrid",), ("SG.",)),
    Service(("api.twilio.com", "*.twilio.com"), ("twilio",)),
    Service(("api.cloudflare.com", "*.cloudflare.com"), ("cloudflare", "cf")),
    Service(("api.digitalocean.com",), ("digitalocean", "do"), ("dop_v1_",)),
    Service(("api.heroku.com", "*.heroku.com"), ("heroku",), ("HRKU-",)),
    Service(("api.vercel.com", "vercel.com"), ("vercel",)),
    Service(("*.sentry.io", "sentry.io"), ("sentry",), ("sntrys_", "sntryu_")),
    Service(("api.datadoghq.com", "*.datadoghq.com", "*.datadoghq.eu"), ("datadog", "dd")),
    Service(("api.linear.app", "linear.app"), ("linear",), ("lin_api_",)),
    Service(("api.notion.com", "notion.so"), ("notion",), ("ntn_", "secret_")),
    Service(("*.atlassian.net", "*.atlassian.com"), ("jira", "confluence", "atlassian"),
            ("ATATT",)),
    Service(("*.supabase.co", "api.supabase.com"), ("supabase",), ("sbp_",)),
)  # fmt: skip


def belongs_to(secret: KnownSecret, host: str, more: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a secret is meant for a machine.

    `more`: machines by globs for names of variables, from the settings.
    """
    host = host.lower().rstrip(".")
    if not host:
        return False
    if host in secret.hosts or _is_named_after(secret.name, host):
        return True
    words = set(_WORDS.findall(secret.name.lower()))
    for service in SERVICES:
        is_its = not words.isdisjoint(service.names) or secret.value.startswith(service.begins)
        if is_its and _matches(service.hosts, host):
            return True
    return any(
        _matches((name,), secret.name) and _matches(tuple(hosts), host)
        for name, hosts in more.items()
    )


def is_meant_for(path: str, host: str, at: ReviewContext) -> bool:
    """Return whether a file holds a secret for a machine."""
    text = at.world.script(path) or ""
    services = at.config.hosts.services
    return any(belongs_to(secret, host, services) for secret in secrets_in(path, text))


def _is_named_after(name: str, host: str) -> bool:
    """Return whether a variable bears the name of a domain: `ACME_TOKEN` and `api.acme.com`."""
    labels = host.split(".")
    if len(labels) < 2:
        return False
    index = -3 if len(labels) > 2 and labels[-2] in _SECOND_LEVEL else -2
    owner = labels[index].replace("-", "")
    words = _WORDS.findall(name.lower())
    joined = {
        "".join(words[start:end]) for start in range(len(words)) for end in (start + 1, start + 2)
    }
    return len(owner) >= 4 and owner not in _ORDINARY and owner in joined


@lru_cache(maxsize=256)
def _compiled(globs: tuple[str, ...]) -> "re.Pattern[str]":
    return compile_globs(globs)


def _matches(globs: tuple[str, ...], text: str) -> bool:
    return _compiled(globs).fullmatch(text) is not None
