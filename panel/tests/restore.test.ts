import { describe, expect, it } from "vitest";
import type { PathChange, PreviewAnswer, RestoreOrder, RunRow } from "../src/api/types";
import { foldersOf, shortFolder } from "../src/parts/folders";
import { neighbour } from "../src/parts/neighbour";
import { byFate, doesAnything, losses, takeBackOf, touched } from "../src/parts/restore";

function change(how: PathChange["how"], path: string = how ?? ""): PathChange {
  return { how, path, says: "", bytes: 0, added: 0, removed: 0 };
}

function preview(values: Partial<PreviewAnswer>): PreviewAnswer {
  const none = { changes: [], tasks_in_progress: [], tasks_completed: [], commits: [], merges: [], fleet: false };
  return { ...none, ...values } as unknown as PreviewAnswer;
}

describe("a preview of a restore", () => {
  it("groups files by what happens to them, those that come back first", () => {
    const groups = byFate([change("keep"), change("restore", "a"), change("delete"), change("restore", "b")]);
    expect(groups.map((each) => [each.title, each.items.length])).toEqual([
      ["come back", 2],
      ["is deleted", 1],
      ["stays as it is", 1],
    ]);
  });

  it("does nothing when all files stay, unless a fleet or commits go back", () => {
    expect(doesAnything(preview({ changes: [change("keep"), change("refuse")] }))).toBe(false);
    expect(touched(preview({ changes: [change("keep"), change("delete")] }))).toBe(1);
    expect(doesAnything(preview({ fleet: true }))).toBe(true);
    expect(doesAnything(preview({ commits: ["a1b2 fix"] }))).toBe(true);
  });

  it("names what is lost", () => {
    expect(losses(preview({ merges: ["m"], tasks_completed: ["t"] })).map((each) => each.title)).toEqual([
      "Tasks completed since: they are open again",
      "Merges that are taken back",
    ]);
  });

  it("is taken back by a redo, and a redo by the checkpoint before it", () => {
    const order: RestoreOrder = { folder: "/shop", level: "checkpoint", checkpoint: "c1" };
    const redo = takeBackOf(order, "c2");
    expect(redo).toMatchObject({ folder: "/shop", level: "redo" });
    expect(takeBackOf(redo, "c3")).toMatchObject({ level: "checkpoint", checkpoint: "c3" });
  });
});

describe("a list", () => {
  it("gives the neighbour of an item, and stops at its ends", () => {
    const items = [{ id: "a" }, { id: "b" }];
    expect(neighbour(items, "a", 1)?.id).toBe("b");
    expect(neighbour(items, "b", 1)?.id).toBe("b");
    expect(neighbour(items, "gone", 1)?.id).toBe("a");
    expect(neighbour([], "a", 1)).toBeUndefined();
  });
});

describe("folders", () => {
  it("come once each, the one that was active last first", () => {
    const run = (cwd: string, changed: number) => ({ cwd, changed }) as RunRow;
    expect(foldersOf([run("/a", 1), run("/b", 2), run("/a", 3), run("", 9)])).toEqual(["/a", "/b"]);
    expect([shortFolder("/srv"), shortFolder("/home/me/work/shop")]).toEqual(["/srv", "…/work/shop"]);
  });
});
