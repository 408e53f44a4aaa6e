"""What in the settings keeps hooks from running; each was seen with the real Claude Code."""

import json
from pathlib import Path

import pytest

from handrail.hosts.claude.obstacles import (
    Scope,
    SettingsFile,
    find_obstacles,
    obstacles,
    proxied,
    session_variables,
    settings_files,
)
from handrail.hosts.claude.settings import ENDPOINT, HookOptions, add

URL = "http://127.0.0.1:47115/hooks/claude"


def _found(*files: tuple[Scope, object], url: str = URL) -> list[tuple[str, str]]:
    """Scope and first word of each obstacle, for files in the order of their rank."""
    texts = [(SettingsFile(scope, scope), json.dumps(settings)) for scope, settings in files]
    return [(each.path, each.says.split()[0]) for each in obstacles(texts, url=url)]


def _said(text: str, scope: Scope = "user", url: str = URL) -> list[str]:
    """What is said of one file."""
    return [each.says for each in obstacles([(SettingsFile(scope, ""), text)], url=url)]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"disableAllHooks": False},
        {"allowManagedHooksOnly": True},
        {"strictPluginOnlyCustomization": True},
        {"allowedHttpHookUrls": ["http://127.0.0.1:*"]},
        {"allowedHttpHookUrls": ["https://x.example/*", URL]},
        {"env": {"CLAUDE_CODE_SIMPLE": "0", "HTTP_PROXY": ""}},
        {"env": {"HTTP_PROXY": "http://proxy:3128", "NO_PROXY": "x.example, 127.0.0.1"}},
        {"hooks": {"Stop": [3, {"hooks": []}]}},
    ],
)
def test_nothing_is_said_where_hooks_run(settings: object) -> None:
    assert _said(json.dumps(settings)) == []


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"disableAllHooks": True}, "disableAllHooks is true"),
        ({"disableAllHooks": "true"}, '"disableAllHooks" must be true or false'),
        ({"allowedHttpHookUrls": []}, f'allowedHttpHookUrls lacks ours: add "{URL}"'),
        ({"allowedHttpHookUrls": ["http://127.0.0.1"]}, "allowedHttpHookUrls lacks ours"),
        ({"env": {"CLAUDE_CODE_SIMPLE": "1"}}, "CLAUDE_CODE_SIMPLE is set"),
        ({"env": {"CLAUDE_CODE_SAFE_MODE": "true"}}, "CLAUDE_CODE_SAFE_MODE is set"),
        ({"env": {"https_proxy": "http://proxy:3128"}}, "https_proxy sends our hooks to the proxy"),
        ({"env": 5}, '"env" must be an object; Claude Code ignores the whole file'),
        ({"hooks": {"Stop": [{"matcher": "x"}]}}, 'every entry of "Stop" must have a list "hooks"'),
        ({"hooks": {"Stop": [{"matcher": 5, "hooks": []}]}}, 'the "matcher" of "Stop"'),
        ("x", "the settings are not an object"),
    ],
)
def test_what_switches_hooks_off_is_said(settings: object, says: str) -> None:
    # A file that does not load matters only where our hooks are lost with it.
    named = {**settings, "ours": ENDPOINT} if isinstance(settings, dict) else ENDPOINT
    (problem,) = _said(json.dumps(named))
    assert problem.startswith(says)


def test_a_file_that_is_not_json_is_said_with_its_place() -> None:
    (problem,) = _said(f"{{\n  // mine: {ENDPOINT}\n}}")
    assert problem.startswith("line 2, column 3: a comment")
    assert problem.endswith("Claude Code ignores the whole file")


@pytest.mark.parametrize(
    "settings",
    [
        {"allowManagedHooksOnly": True},
        {"strictPluginOnlyCustomization": True},
        {"strictPluginOnlyCustomization": ["skills", "hooks"]},
    ],
)
def test_some_settings_count_only_where_an_organization_makes_them(settings: object) -> None:
    assert len(_said(json.dumps(settings), "managed")) == 1
    assert _said(json.dumps(settings)) == []


def test_commands_are_not_bothered_by_what_stops_http() -> None:
    settings = {"allowedHttpHookUrls": [], "env": {"HTTP_PROXY": "http://proxy:3128"}}
    assert _said(json.dumps(settings), url="") == []


def test_the_highest_file_that_says_so_switches_all_hooks_off_or_on() -> None:
    off, on = {"disableAllHooks": True}, {"disableAllHooks": False}
    assert _found(("local", on), ("project", off), ("user", {})) == []
    assert _found(("local", {}), ("project", off), ("user", on)) == [("project", "disableAllHooks")]
    assert _found(("project", on), ("user", off)) == []


def test_lists_of_addresses_are_joined() -> None:
    ours: object = {"allowedHttpHookUrls": [URL]}
    none: object = {"allowedHttpHookUrls": []}
    assert _found(("project", none), ("user", ours)) == []
    assert _found(("project", none), ("user", {})) == [("project", "allowedHttpHookUrls")]


def test_variables_of_higher_files_replace_those_of_lower_ones() -> None:
    proxy, direct = {"env": {"HTTP_PROXY": "http://p"}}, {"env": {"NO_PROXY": "127.0.0.1"}}
    assert _found(("project", proxy), ("user", direct)) == []
    assert _found(("project", proxy), ("user", {})) == [("project", "HTTP_PROXY")]
    assert _found(("local", {"env": {"HTTP_PROXY": ""}}), ("project", proxy)) == []


def test_a_broken_file_of_others_does_not_matter_but_one_with_ours_does() -> None:
    file = SettingsFile("user", "user")
    assert obstacles([(file, "{broken")], url=URL) == ()
    ours = add(None, HookOptions("http", URL, "t", "/x/handrail-hook"))[:-3]
    (found,) = obstacles([(file, ours)], url=URL)
    assert "Claude Code ignores the whole file" in found.says


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({}, ""),
        ({"ALL_PROXY": "http://p"}, ""),
        ({"HTTP_PROXY": "http://p"}, "HTTP_PROXY"),
        ({"https_proxy": "http://p", "NO_PROXY": "localhost"}, "https_proxy"),
        ({"HTTPS_PROXY": "http://p", "no_proxy": "a.example,127.0.0.1"}, ""),
        ({"HTTPS_PROXY": "http://p", "NO_PROXY": "*"}, ""),
    ],
)
def test_a_proxy_in_the_way_is_named(environ: dict[str, str], name: str) -> None:
    assert proxied(environ) == name


def test_the_files_of_a_session_are_listed_by_rank(tmp_path: Path) -> None:
    files = settings_files({"HOME": "/home/me"}, "/work/shop")
    assert [file.scope for file in files][-3:] == ["local", "project", "user"]
    assert [file.path for file in files][-3:] == [
        "/work/shop/.claude/settings.local.json",
        "/work/shop/.claude/settings.json",
        "/home/me/.claude/settings.json",
    ]
    assert {file.scope for file in files[:-3]} == {"managed"}
    moved = settings_files({"HOME": "/home/me", "CLAUDE_CONFIG_DIR": "/conf"}, "/work/shop")
    assert moved[-1].path == "/conf/settings.json"


def test_files_are_read_where_they_are_and_as_they_will_be(tmp_path: Path) -> None:
    home, shop = tmp_path / "home", tmp_path / "shop"
    (shop / ".claude").mkdir(parents=True)
    project = shop / ".claude/settings.json"
    project.write_text('{"disableAllHooks": true, "env": {"HTTP_PROXY": "http://p"}}')
    environ = {"HOME": str(home)}
    assert session_variables(environ, str(shop))["HTTP_PROXY"] == "http://p"
    assert [each.path for each in find_obstacles(environ, str(shop))] == [str(project)]
    local = str(shop / ".claude/settings.local.json")
    instead = {local: '{"disableAllHooks": false}'}
    assert find_obstacles(environ, str(shop), instead=instead) == ()


def test_in_the_home_folder_the_same_file_is_told_once(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"allowedHttpHookUrls": []}')
    found = find_obstacles({"HOME": str(tmp_path)}, str(tmp_path), url=URL)
    assert len(found) == 1
