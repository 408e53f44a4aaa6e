"""Tables of token shapes, and of options that mean a password to one program only."""

import re
from collections.abc import Iterable
from typing import NamedTuple

# No letter or digit stands before a token, unless it ends an escape or a colour code.
_ALONE = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbfv0])|(?<=%[0-9A-Fa-f]{2})|(?<=\\x[0-9A-Fa-f]{2})"
    r"|(?<=\\u[0-9A-Fa-f]{4})|(?<=[\[;]\dm)|(?<=[\[;]\d\dm))"
)
_ENDS = r"(?![A-Za-z0-9_-])"

# kind, prefixes (separated by spaces), the rest, and whether it must stand alone.
# Minimum lengths are below the real ones: half a token in a shortened output is still a leak.
_SHAPES: tuple[tuple[str, str, str, bool], ...] = (
    ("GitHub token", "ghp_ gho_ ghs_ ghu_ ghr_", r"[A-Za-z0-9]{16,}+", False),
    ("GitHub token", "github_pat_", r"\w{16,}+", False),
    (
        "GitLab token",
        "glpat- gldt- glrt- glptt- glcbt- glft- glimt- glsoat- glagent- gloas- GR1348941",
        r"[\w.-]{14,}+",
        False,
    ),
    ("Slack token", "xox", r"[a-z](?:\.xox[a-z])?-[\w-]{10,}+", False),
    ("Slack token", "xapp-", r"\d-[\w-]{10,}+", False),
    ("AWS key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}(?![A-Za-z0-9])", True),
    ("AWS key", "ABSK", r"[A-Za-z0-9+/]{90,}+=*", True),
    ("AWS key", "bedrock-api-key-", r"[A-Za-z0-9+/=]{16,}+", False),
    ("AWS key", "X-Amz-Signature= x-amz-signature=", r"(?P<secret>[0-9a-f]{32,}+)", False),
    ("AWS key", "X-Amz-Security-Token=", r"(?P<secret>[\w%+/=-]{20,}+)", False),
    ("Google key", "AIza", rf"[\w-]{{35}}{_ENDS}", True),
    ("Google token", "ya29.", r"[\w.-]{20,}+", True),
    ("Google token", "GOCSPX-", r"[\w-]{20,}+", False),
    ("Google token", "1//0", r"[\w-]{30,}+", True),
    ("Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[A-Za-z0-9]{10,}+", False),
    ("Stripe key", "whsec_", r"[A-Za-z0-9+/]{20,}+", False),
    ("Anthropic key", "sk-ant-", r"[\w-]{12,}+", False),
    ("OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-", r"[\w-]{12,}+", False),
    ("OpenAI key", "sk-", r"(?:[a-z]{2,4}-(?:v\d-)?)?[A-Za-z0-9]{20,}+", True),
    ("npm token", "npm_", r"[A-Za-z0-9]{30,}+", True),
    ("PyPI token", "pypi-", r"(?:Ag[\w-]{16,}+|[\w-]{50,}+)", False),
    ("Hugging Face token", "hf_ api_org_", r"[A-Za-z0-9]{30,}+", True),
    ("Docker token", "dckr_pat_ dckr_oat_", r"[\w-]{16,}+", False),
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{16,}+", False),
    ("SendGrid key", "SG.", r"[\w-]{16,64}+\.[\w-]{16,}+", True),
    ("Twilio key", "SK", rf"[0-9a-fA-F]{{32}}{_ENDS}", True),
    ("Azure key", "Q~", r"(?<=[\w~.]{3}\dQ~)[\w~.-]{31,34}+", False),
    ("Azure key", "?sig= &sig=", r"(?P<secret>[\w%+/=-]{30,}+)", False),
    ("Shopify token", "shpat_ shpss_ shpca_ shppa_", r"[0-9a-fA-F]{24,}+", False),
    ("Vault token", "hvs. hvb. hvr.", r"[\w-]{24,}+", True),
    ("Databricks token", "dapi", rf"[0-9a-f]{{32}}(?:-\d)?{_ENDS}", True),
    ("Pulumi token", "pul-", rf"[0-9a-f]{{40}}{_ENDS}", True),
    ("Atlassian token", "ATATT3 ATCTT3 ATBB", r"[\w=-]{28,}+", True),
    ("Artifactory key", "AKCp", r"[A-Za-z0-9]{60,}+", True),
    ("New Relic key", "NRAK-", r"[A-Z0-9]{20,}+", False),
    ("Square token", "sq0atp- sq0csp- sq0idp-", r"[\w-]{20,}+", False),
    ("Mailgun key", "key-", rf"[0-9a-f]{{32}}{_ENDS}", True),
    ("Doppler token", "dp.pt. dp.st. dp.ct. dp.sa.", r"[\w.-]{24,}+", True),
    ("PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.=-]{20,}+", False),
    ("Tailscale key", "tskey-", r"[\w-]{16,}+", False),
    ("Supabase key", "sbp_ sb_secret_", r"[\w-]{20,}+", True),
    ("Groq key", "gsk_", r"[A-Za-z0-9]{40,}+", True),
    ("xAI key", "xai-", r"[A-Za-z0-9]{40,}+", True),
    ("Perplexity key", "pplx-", r"[A-Za-z0-9]{40,}+", True),
    ("Replicate token", "r8_", r"[A-Za-z0-9]{30,}+", True),
    ("NVIDIA key", "nvapi-", r"[\w-]{40,}+", True),
    ("age key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{20,}+", False),
    ("RubyGems key", "rubygems_", r"[0-9a-f]{32,}+", False),
    ("NuGet key", "oy2", rf"[a-z0-9]{{43}}{_ENDS}", True),
    ("Postman key", "PMAK-", r"[0-9a-f]{20,}+-[0-9a-f]{16,}+", False),
    ("Sentry token", "sntrys_ sntryu_", r"[\w+/=-]{30,}+", False),
    ("Grafana token", "glsa_ glc_", r"[\w+/=]{28,}+", True),
    ("Grafana token", "eyJrIjoi", r"[A-Za-z0-9+/]{50,}+=*", True),
    ("Linear key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{24,}+", False),
    ("Figma token", "figd_", r"[\w-]{20,}+", True),
    ("Notion token", "ntn_", r"[A-Za-z0-9]{36,}+", True),
    ("Terraform token", "atlasv1.", r"[\w-]{40,}+", False),
    ("1Password token", "ops_eyJ", r"[\w+/=-]{40,}+", True),
    ("Clojars token", "CLOJARS_", r"[0-9a-z]{40,}+", False),
    ("Alibaba key", "LTAI", rf"[A-Za-z0-9]{{16,26}}{_ENDS}", True),
    ("JWT", "eyJ", r"[\w-]{8,800}+\.eyJ[\w-]{4,}+(?:\.[\w-]*+)?", False),
    ("JWT", "eyJ", r"[\w-]{8,800}+\.[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]++)*+", True),
)

# Tokens without a prefix; the text around them gives them away.
_BARE_SHAPES: tuple[tuple[str, str], ...] = (
    ("Telegram token", r"(?<!\d)\d{6,12}:(?P<secret>A[\w-]{34})(?![\w-])"),
    ("Discord token", r"(?<![\w.-])[MNO][\w-]{23,27}+\.[\w-]{6}\.[\w-]{27,}+"),
    ("webhook", r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[\w/]{20,}+)"),
    ("webhook", r"discord(?:app)?\.com/api/webhooks/\d{10,24}/(?P<secret>[\w-]{20,}+)"),
    ("webhook", r"webhook\.office\.com/webhookb2/(?P<secret>[\w@/-]{20,}+)"),
)


class TokenShape(NamedTuple):
    """A family of tokens with a recognisable shape."""

    kind: str
    pattern: re.Pattern[str]
    group: str | int
    """The group to hide."""


def _new_shape(kind: str, pattern: str) -> TokenShape:
    compiled = re.compile(pattern, re.ASCII)
    return TokenShape(kind, compiled, "secret" if compiled.groups else 0)


def _shapes_by_start() -> dict[str, tuple[TokenShape, ...]]:
    table: dict[str, tuple[TokenShape, ...]] = {}
    for kind, starts, body, alone in _SHAPES:
        for start in starts.split():
            left = _ALONE if alone else ""
            shape = _new_shape(kind, left + re.escape(start) + body)
            table[start] = (*table.get(start, ()), shape)
    # An `sk-ant-…` that is not Anthropic's may still be another `sk-…`.
    return {
        start: tuple(shape for other in table if start.startswith(other) for shape in table[other])
        for start in table
    }


def _one_of(words: Iterable[str]) -> str:
    """Return a pattern for the longest of these words, letter by letter: far faster than a|b|c."""
    tails: dict[str, list[str]] = {}
    for word in words:
        tails.setdefault(word[:1], []).append(word[1:])
    heads = [re.escape(head) + _one_of(tails[head]) for head in sorted(tails) if head]
    if not heads:
        return ""
    return f"(?:{'|'.join(heads)})" + ("?" if "" in tails else "")


SHAPES = _shapes_by_start()
"""Shapes by prefix."""
STARTS = re.compile(_one_of(SHAPES))
BARE_SHAPES = tuple(_new_shape(kind, body) for kind, body in _BARE_SHAPES)
SHORTEST_RUN = 20
"""Every shape has a run of at least this many letters, digits, - and _."""
TOKEN_KINDS = {row[0] for row in _SHAPES} | {row[0] for row in _BARE_SHAPES}

# program; then the option up to its value, and the separator between user and password.
_OPTIONS: tuple[tuple[str, str, str], ...] = (
    (r"mysql\w*|mariadb[\w-]*|mycli", r"-p(?=\S)", ""),
    (r"sshpass", r"-p ?", ""),
    (r"curl", r"(?:-[a-zA-Z]{0,8}[uU]|--user|--proxy-user)[ =]?", ":"),
    (r"curl", r"(?:-[a-zA-Z]{0,8}b|--cookie)[ =]?", "="),
    (r"https?|xh|wget", r"(?:-a|--auth)[ =]", ":"),
    (r"redis-cli|valkey-cli|keydb-cli", r"(?:-a|--pass) ", ""),
    (r"mongo\w*|twine|lftp|cqlsh|influx|rabbitmqadmin", r"-p[ =]?", ""),
    (r"7z\w?|rar|unrar", r"-p(?=\S)", ""),
    (r"zip|unzip|sqlcmd|bcp", r"-P ?", ""),
    (r"ldap\w+", r"-w ?", ""),
    (r"smbclient|rpcclient|smbget", r"-U ?", "%"),
    (r"ssh-keygen", r"-[NP] ", ""),
    (r"openssl", r"-(?:k|K|pass|passin|passout) (?:pass:)?", ""),
    (r"security", r"-w ", ""),
    (r"htpasswd", r"-\w{0,4}b\w{0,4} \S{1,200} \S{1,100} ", ""),
    (r"gh +(?:secret|variable) +set", r"(?:-b|--body)[ =]", ""),
    (
        r"(?:docker|podman|nerdctl|skopeo|helm|oras|crane|az|oc|argocd|cf)\b[^\n;|&]{0,80}?\blogin",
        r"-p[ =]?",
        "",
    ),
    (r"sudo", r"-S", ""),
)
_PROGRAMS = tuple(dict.fromkeys(row[0] for row in _OPTIONS))
PROGRAM = re.compile(
    r"(?<![\w.-])(?:"
    + "|".join(f"(?P<p{index}>{program})" for index, program in enumerate(_PROGRAMS))
    + r")(?=\s)"
)
OPTIONS = {
    f"p{index}": [(re.compile(rf"\s{row[1]}"), row[2]) for row in _OPTIONS if row[0] == program]
    for index, program in enumerate(_PROGRAMS)
}
"""The password options of each program, by its group in PROGRAM."""
