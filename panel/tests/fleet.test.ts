import { describe, expect, test } from "vitest";
import type { FleetRow, PipelineRow, TaskDetail, TaskRow } from "../src/api/types";
import { tellsOf, withFrames } from "../src/live/fleets";
import { freeSlots, shareOf, signOf } from "../src/pages/fleet/summary";
import { signOfPipeline, signOfStep } from "../src/pages/pipelines/signs";
import { addressOfTask } from "../src/pages/tasks/addresses";
import { type PriorityChange, byStatus, commandOfDrop, matching, prioritiesFor } from "../src/pages/tasks/board";
import { NO_DRAFT, draftOf, fieldsOf } from "../src/pages/tasks/draft";
import { entriesOf } from "../src/pages/tasks/RecoveryContext";
import { TASK_COMMANDS, whyNotCommand } from "../src/pages/tasks/taskCommands";

function task(id: string, values: Partial<TaskRow> = {}): TaskRow {
  return { fleet: "shop-1", id, label: id, status: "pending", state: "ready", priority: 0, commands: [], ...values } as TaskRow;
}

function fleet(id: string, values: Partial<FleetRow> = {}): FleetRow {
  return { id, name: id, recovered: [], slots: [], slot_count: 0, ...values } as FleetRow;
}

/** The ids of a column after some changes, as the board sorts them. */
function after(column: readonly TaskRow[], changes: readonly PriorityChange[] | null): string[] {
  const fresh = new Map(changes?.map((each) => [each.id, each.priority]));
  const changed = column.map((each) => ({ ...each, priority: fresh.get(each.id) ?? each.priority }));
  return byStatus(changed).pending.map((each) => each.id);
}

describe("the board", () => {
  test("has a column per state, and sorts what waits by priority", () => {
    const columns = byStatus([task("a"), task("b", { priority: 5 }), task("c", { status: "done" })]);
    expect(columns.pending.map((each) => each.id)).toEqual(["b", "a"]);
    expect(columns.done.map((each) => each.id)).toEqual(["c"]);
    expect(columns.failed).toEqual([]);
  });

  test("finds tasks by words in any order", () => {
    const tasks = [task("cart", { label: "Fix the cart" }), task("tax", { why: "verify failed" })];
    expect(matching(tasks, "CART fix").map((each) => each.id)).toEqual(["cart"]);
    expect(matching(tasks, "verify")).toHaveLength(1);
    expect(matching(tasks, " ")).toBe(tasks);
  });

  test("moves a task to any place by as few priorities as possible", () => {
    const column = ["a", "b", "c", "d", "e"].map((id) => task(id));
    for (const moved of column) {
      for (let place = 0; place < column.length; place++) {
        const wanted = column.filter((each) => each !== moved).map((each) => each.id);
        wanted.splice(place, 0, moved.id);
        const changes = prioritiesFor(column, moved.id, place);
        expect(after(column, changes)).toEqual(wanted);
        expect(changes?.length).toBeLessThanOrEqual(3);
      }
    }
  });

  test("moves among different priorities, too", () => {
    const priorities = [7, 6, 6, 3, 2, 0];
    const column = priorities.map((priority, index) => task(`t${index}`, { priority }));
    for (const moved of column) {
      for (let place = 0; place < column.length; place++) {
        const wanted = column.filter((each) => each !== moved).map((each) => each.id);
        wanted.splice(place, 0, moved.id);
        expect(after(column, prioritiesFor(column, moved.id, place))).toEqual(wanted);
      }
    }
  });

  test("does not change many tasks by one move", () => {
    const column = Array.from({ length: 100 }, (_, index) => task(`t${index}`));
    expect(prioritiesFor(column, "t99", 50)).toBeNull();
    expect(prioritiesFor(column, "t99", 0)).toEqual([{ id: "t99", priority: 1 }]);
    expect(prioritiesFor([task("a")], "a", 0)).toEqual([]);
  });

  test("never leaves the range of priorities", () => {
    const column = [task("a", { priority: 1000 }), task("b", { priority: -1000 }), task("c", { priority: -1000 })];
    expect(prioritiesFor(column, "c", 0)).toEqual([
      { id: "c", priority: 1000 },
      { id: "a", priority: 999 },
    ]);
  });

  test("takes a drop as a command only if it is possible", () => {
    expect(commandOfDrop(task("a", { commands: ["block"] }), "blocked")).toBe("block");
    expect(commandOfDrop(task("a", { commands: ["prefer"] }), "active")).toBe("prefer");
    expect(commandOfDrop(task("a", { status: "done", commands: ["again"] }), "pending")).toBe("again");
    expect(commandOfDrop(task("a", { commands: ["block"] }), "done")).toBe("");
    expect(commandOfDrop(task("a", { status: "failed" }), "pending")).toBe("");
  });
});

describe("commands about a task", () => {
  test("are possible only if the daemon says so", () => {
    expect(whyNotCommand("retry", task("a", { commands: ["retry"] }))).toBe("");
    expect(whyNotCommand("retry", task("a", { state: "working" }))).toBe("Not now: a is working.");
    expect(whyNotCommand("block", task("a", { merge: "merging" }))).toBe("a is being merged.");
  });

  test("have a key each", () => {
    expect(new Set(TASK_COMMANDS.map((each) => each.key)).size).toBe(TASK_COMMANDS.length);
  });

  test("lead to addresses that hold any name", () => {
    expect(addressOfTask({ fleet: "shop/a-1", id: "b?c" })).toBe("/fleets/shop%2Fa-1/tasks/b%3Fc");
  });
});

describe("a draft", () => {
  const detail = {
    row: task("a", { priority: 3, depends_on: ["x", "y"] }),
    title: "",
    prompt: "Fix it.\nAll of it.",
    verify: "pytest -q",
    scope: ["src/**"],
    model: "",
    host: "",
    limits: { minutes: 20 },
  } as unknown as TaskDetail;

  test("holds everything that a task has, and gives the same back", () => {
    const draft = draftOf(fieldsOf(detail));
    expect(draft).toEqual({
      prompt: "Fix it.\nAll of it.",
      id: "",
      title: "",
      verify: "pytest -q",
      depends_on: ["x", "y"],
      scope: ["src/**"],
      priority: 3,
      model: "",
      host: "",
      limits: { minutes: 20 },
    });
  });

  test("leaves out what is not a number", () => {
    expect(draftOf({ ...NO_DRAFT, priority: "x", minutes: "-1" })).toMatchObject({ priority: 0, limits: {} });
  });
});

test("a recovery context of any shape is read", () => {
  expect(entriesOf({})).toEqual([]);
  expect(entriesOf({ auditLog: [null, 7] })).toHaveLength(2);
  const details = { filesModified: ["a.py", 3], testStatus: { passed: 4, failed: 1 }, error: "boom" };
  expect(entriesOf({ auditLog: [{ timestamp: "t", event: "crash", details }] })[0]).toEqual({
    timestamp: "t",
    event: "crash",
    details: { filesModified: ["a.py"], tests: "4 passed, 1 failed", lastCommit: "", error: "boom" },
  });
});

describe("fleets", () => {
  test("take newer rows and new fleets", () => {
    const before = [fleet("a"), fleet("b")];
    const fresh = new Map([
      ["a", fleet("a", { says: "now" })],
      ["c", fleet("c")],
    ]);
    const now = withFrames(before, fresh);
    expect(now.map((each) => each.id)).toEqual(["a", "b", "c"]);
    expect(now[0]).toMatchObject({ says: "now" });
  });

  test("hear only of their own tasks", () => {
    expect(tellsOf("a", [{ position: 1, tasks: ["b"] }, { position: 2 }])).toBe(false);
    expect(tellsOf("a", [{ position: 1, tasks: ["a"] }])).toBe(true);
  });

  test("say what is free and spent", () => {
    expect(freeSlots(fleet("a", { slot_count: 3 }))).toBe(3);
    expect(freeSlots(fleet("a", { slot_count: 0 }))).toBe(0);
    expect(shareOf(6, 20)).toBeCloseTo(0.3);
    expect(shareOf(6, 0)).toBeNull();
    expect(signOf("working").mark).toBe("●");
    expect(signOf("something new").tone).toBe("");
  });
});

describe("pipelines", () => {
  test("say in words how they ended", () => {
    expect(signOfPipeline({ status: "ok", error: "" } as PipelineRow).says).toBe("ok");
    expect(signOfPipeline({ status: "error", error: "blocked_by_reviewer" } as PipelineRow).says).toBe(
      "Handrail stopped an action",
    );
    expect(signOfStep("not_run").says).toBe("not run");
    expect(signOfStep("odd").says).toBe("odd");
  });
});
