"""The settings of a desktop command: those of the current folder."""

import os

import click

from handrail.supervise.runs.project import Project, Projects


def desktop_project() -> Project:
    """Return the settings in force here; settings that cannot be used end the command."""
    project = Projects(os.environ).at(os.getcwd())
    if project.problem:
        raise click.ClickException(project.problem)
    return project
