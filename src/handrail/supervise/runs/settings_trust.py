"""The confirmed settings of projects: by repository and content, in `trust.json`.

Work trees, branches and a new clone in the same place share one answer. A damaged file confirms
nothing.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import time

import msgspec

from handrail.config.in_force import SettingsInForce, settings_in_force
from handrail.config.layers import ProjectText, load_settings
from handrail.config.loosening import Loosened
from handrail.config.sources import PipelineSafety, work_tree
from handrail.model.decodable import decodable
from handrail.model.state_folder import state_folder
from handrail.store.private_files import make_folder
from handrail.store.seals import write_sealed

FILE_NAME = "trust.json"
_MAX_BYTES = 4_000_000
_KEPT = 50
"""Confirmed contents of one repository; the oldest go first."""


class TrustedContent(msgspec.Struct, frozen=True):
    """One content that a person has confirmed."""

    digest: str
    at: float
    file: str = ""
    """Where it was; a note for people."""


@decodable
class _TrustFile(msgspec.Struct, frozen=True):
    repositories: dict[str, list[TrustedContent]] = {}


class DamagedTrustError(OSError):
    """The record of confirmed settings cannot be read."""

    def __init__(self, path: str, says: str) -> None:
        super().__init__(f"{path}: {says}; delete it, then confirm again: handrail config trust")


class SettingsTrust:
    """The record of one user."""

    def __init__(self, folder: str) -> None:
        """`folder`: Handrail's state folder."""
        self.path = os.path.join(folder, FILE_NAME)

    @property
    def problem(self) -> str:
        """Why nothing is trusted; empty: the record can be read."""
        try:
            self._read()
        except DamagedTrustError as error:
            return str(error)
        return ""

    def is_trusted(self, text: ProjectText) -> bool:
        """Whether a person has confirmed this content for this repository."""
        try:
            known = self._read().repositories.get(repository_of(text.file), ())
        except DamagedTrustError:
            return False
        digest = digest_of(text)
        return any(each.digest == digest for each in known)

    def confirm(self, text: ProjectText) -> None:
        """Note that a person has confirmed a content. Raises OSError."""
        repositories = dict(self._read().repositories)
        where, digest = repository_of(text.file), digest_of(text)
        others = [each for each in repositories.get(where, ()) if each.digest != digest]
        confirmed = TrustedContent(digest, round(time(), 3), text.file)
        repositories[where] = [*others, confirmed][-_KEPT:]
        make_folder(os.path.dirname(self.path))
        data = msgspec.json.format(msgspec.json.encode(_TrustFile(repositories)), indent=1)
        write_sealed(self.path, data)

    def _read(self) -> _TrustFile:
        try:
            with open(self.path, "rb") as file:
                if os.fstat(file.fileno()).st_uid != os.geteuid():
                    raise DamagedTrustError(self.path, "it belongs to another user")
                data = file.read(_MAX_BYTES + 1)
            return msgspec.json.decode(data, type=_TrustFile)
        except FileNotFoundError:
            return _TrustFile()
        except DamagedTrustError:
            raise
        except OSError as error:
            raise DamagedTrustError(self.path, f"cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise DamagedTrustError(self.path, f"is damaged ({error})") from None


def trust_of(environ: Mapping[str, str]) -> SettingsTrust:
    """The record that belongs to an environment."""
    return SettingsTrust(state_folder(environ))


def trusted_settings(
    folder: str, environ: Mapping[str, str], pipeline: PipelineSafety | None = None
) -> SettingsInForce:
    """The settings in force in a folder, or in a pipeline there. Raises ConfigError."""
    return settings_in_force(
        folder, environ, is_trusted=trust_of(environ).is_trusted, pipeline=pipeline
    )


def confirm_settings(folder: str, environ: Mapping[str, str]) -> None:
    """Confirm a project's settings as they are now: a person has seen them, or wrote them.

    Raises ConfigError or OSError.
    """
    written = load_settings(folder, environ=environ).project
    if written is not None:
        trust_of(environ).confirm(written)


def untrusted_notice(withheld: Sequence[Loosened]) -> str:
    """Return one line about unconfirmed settings and how to confirm them, or ""."""
    if not withheld:
        return ""
    first, *others = (each.key for each in withheld)
    more = f" and {len(others)} more" if others else ""
    return (
        f"handrail.yaml of this project loosens {first}{more}, and nobody has confirmed that: "
        "the stricter settings are in force. See it and decide: handrail config trust"
    )


def repository_of(file: str) -> str:
    """The git directory that all work trees of a project share, or the folder of the file."""
    folder = os.path.realpath(os.path.dirname(file))  # where a link leads to is another project
    tree = work_tree(Path(folder))
    if tree is None:
        return folder
    # Rarely needed, and slow to load for a command.
    from handrail.checkpoint.git.user_repository import repository_directories  # noqa: PLC0415

    return os.path.realpath(repository_directories(str(tree)).common)


def digest_of(text: ProjectText) -> str:
    """Return the digest of some content."""
    sizes = " ".join(str(len(each)) for each in text.texts)
    whole = "".join((sizes, "\n", *text.texts))
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
