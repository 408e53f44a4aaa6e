"""Read descriptions of fields from their metadata, or from the docstring below the field.

Python drops these docstrings, so this module reads the source; only documentation needs it.
"""

import ast
import inspect
from typing import Annotated, Any, get_args, get_origin

import msgspec


def field_descriptions(struct: type[msgspec.Struct]) -> dict[str, str]:
    """Return the description of each field of a struct that has one."""
    below = _docstrings_below(struct)
    said = {
        field.encode_name: _described(field.type) or below.get(field.name, "")
        for field in msgspec.structs.fields(struct)
    }
    return {name: " ".join(text.split()) for name, text in said.items() if text}


def _described(kind: Any) -> str:
    if get_origin(kind) is not Annotated:
        return ""
    _, *metas = get_args(kind)
    return next((meta.description for meta in metas if meta.description), "")


def _docstrings_below(struct: type[msgspec.Struct]) -> dict[str, str]:
    body = ast.parse(inspect.getsource(struct)).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match below:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    found[field.target.id] = text
    return found
