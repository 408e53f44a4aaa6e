import { describe, expect, it } from "vitest";
import { allPages, firstPages } from "../src/live/pages";

const ITEMS = ["a", "b", "c", "d", "e"];

/** A list of the daemon's, two at a time. */
function load(cursor: string): Promise<{ items: string[]; next: string }> {
  const begin = Number(cursor || 0);
  const end = begin + 2;
  return Promise.resolve({ items: ITEMS.slice(begin, end), next: end < ITEMS.length ? String(end) : "" });
}

describe("pages", () => {
  it("are joined, and the cursor of the next one is kept", async () => {
    expect(await firstPages(load, 1)).toEqual({ items: ["a", "b"], next: "2" });
    expect(await firstPages(load, 2)).toEqual({ items: ["a", "b", "c", "d"], next: "4" });
  });

  it("end with the last one, however many are asked for", async () => {
    expect(await firstPages(load, 9)).toEqual({ items: ITEMS, next: "" });
    expect(await allPages(load)).toEqual(ITEMS);
  });
});
