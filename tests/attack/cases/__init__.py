"""All attacks, by class; a file holds one class."""

from tests.attack.attack import Attack
from tests.attack.cases import (
    agents,
    code_in_files,
    controls,
    daemon,
    forged,
    looser,
    packages,
    project_settings,
    spelling,
    state_folder,
    user_settings,
)

_MODULES = (
    user_settings,
    project_settings,
    looser,
    forged,
    daemon,
    state_folder,
    packages,
    agents,
    code_in_files,
    spelling,
    controls,
)
ATTACKS: dict[str, Attack] = {
    f"{module.CLASS}: {each.name}": each._replace(name=f"{module.CLASS}: {each.name}")
    for module in _MODULES
    for each in module.ATTACKS
}
CLASSES: tuple[str, ...] = tuple(module.CLASS for module in _MODULES)
