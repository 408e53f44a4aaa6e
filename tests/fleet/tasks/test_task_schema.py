"""The JSON Schema of `tasks.yaml`, for editors."""

import msgspec

from handrail.fleet.tasks.task import Task, TaskLimits
from handrail.fleet.tasks.task_schema import (
    TaskDefaults,
    TaskEntry,
    TaskEntryLimits,
    task_file_schema,
)
from handrail.hosts import HOSTS


def test_the_schema_is_json_and_allows_texts_and_mappings() -> None:
    schema = msgspec.json.decode(msgspec.json.encode(task_file_schema()))
    assert schema["title"] == "tasks.yaml"
    kinds = schema["$defs"]["TaskFile"]["properties"]["tasks"]["items"]["anyOf"]
    assert {"type": "string"} in kinds
    assert {"$ref": "#/$defs/TaskEntry"} in kinds


def test_editors_are_told_the_hosts() -> None:
    sections = task_file_schema()["$defs"]
    for name in ("TaskEntry", "TaskDefaults"):
        assert sections[name]["properties"]["host"]["enum"] == ["", *HOSTS]


def test_every_key_says_what_it_is_for() -> None:
    silent = [
        f"{name}.{key}"
        for name, section in task_file_schema()["$defs"].items()
        for key, value in section["properties"].items()
        if "description" not in value and "$ref" not in value
    ]
    assert silent == []


def test_the_file_has_the_keys_of_a_task() -> None:
    def keys(struct: type[msgspec.Struct]) -> set[str]:
        return set(struct.__struct_fields__)

    assert keys(TaskEntry) == keys(Task)
    assert keys(TaskDefaults) == keys(Task) - {"id", "prompt", "depends_on"}
    assert keys(TaskEntryLimits) == keys(TaskLimits)
