import { describe, expect, it } from "vitest";
import { rowAt, rowOffsets, rowsInSight, topToShow } from "../src/parts/rowWindow";

const OFFSETS = rowOffsets([30, 46, 30, 30], (height) => height);

describe("rows of known height", () => {
  it("begin where the ones before end", () => {
    expect([...OFFSETS]).toEqual([0, 30, 76, 106, 136]);
  });

  it("are found by their place", () => {
    expect([0, 29, 30, 75, 76, 135, 500].map((top) => rowAt(OFFSETS, top))).toEqual([0, 0, 1, 1, 2, 3, 3]);
  });

  it("are drawn if they are in sight, with some more on both sides", () => {
    expect(rowsInSight(OFFSETS, 31, 50, 0)).toEqual([1, 3]);
    expect(rowsInSight(OFFSETS, 31, 50, 1)).toEqual([0, 4]);
    expect(rowsInSight(rowOffsets([], () => 1), 0, 50, 5)).toEqual([0, 0]);
  });

  it("come into sight with the smallest move", () => {
    expect(topToShow(OFFSETS, 0, 50, 60)).toBe(0);
    expect(topToShow(OFFSETS, 3, 20, 60)).toBe(76);
    expect(topToShow(OFFSETS, 1, 20, 60)).toBe(20);
  });
});
