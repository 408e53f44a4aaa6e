"""A hook of mkdocs that builds the site from the pages as they stand on GitHub.

The pages at the top of the repository join those of `docs/`, with README.md as the home page.
Links are changed to where a page stands in the site. A link to a file that the site does not hold
becomes plain text.
"""

import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
TOP = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
# A link may have code as its text, so links are tried before `code`. In code inside a table GitHub
# wants `\|` for a pipe, where Python-Markdown shows the backslash.
_PARTS = re.compile(
    r"^(?P<fence>```+).*?^(?P=fence)$"
    r"|(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)"
    r"|(?P<code>`[^`\n]*`)"
    r'|(?P<attribute>\b(?:src|srcset|href)=)"(?P<path>[^"]+)"',
    re.DOTALL | re.MULTILINE,
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand at the top of the repository."""
    for name, page in TOP.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Change the links of a page; code stays as it is."""
    return with_links_of_the_site(markdown, page.file.src_uri)


def with_links_of_the_site(markdown: str, uri: str) -> str:
    folder = PurePosixPath("." if uri in TOP.values() else "docs") / PurePosixPath(uri).parent

    def changed(part: re.Match[str]) -> str:
        if target := part["target"] or part["path"]:
            target, inside = _in_the_site(target, folder, uri)
            if part["attribute"]:
                return f'{part["attribute"]}"{target}"'
            return f"{part['image']}[{part['text']}]({target})" if inside else part["text"]
        return part[0].replace(r"\|", "|") if part["code"] else part[0]

    return _PARTS.sub(changed, markdown)


def _in_the_site(target: str, folder: PurePosixPath, uri: str) -> tuple[str, bool]:
    """A target as the page of this uri has to write it, and whether the site holds it."""
    name, mark, anchor = target.partition("#")
    if not name or ":" in name:
        return target, True
    place = os.path.normpath(folder / name)
    if place not in TOP and not place.startswith("docs/"):
        return target, False
    there = TOP.get(place, place.removeprefix("docs/"))
    return os.path.relpath(there, PurePosixPath(uri).parent) + mark + anchor, True
