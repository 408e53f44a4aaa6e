"""Repositories inside of a work tree: their files are files like all others."""

from handrail.checkpoint.git import Git


def files_of(git: Git, folder: str) -> list[str]:
    """The files of a repository that lies in a folder of the work tree, from its top."""
    return []
