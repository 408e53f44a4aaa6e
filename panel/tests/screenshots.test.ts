import { describe, expect, it } from "vitest";
import type { DesktopCheckRow, TimelineRow } from "../src/api/types";
import { isCheck, lastPictures, neighbourCheck, pictureAddress, picturesOf } from "../src/pages/run/screenshots";

function check(seq: number, values: Partial<DesktopCheckRow> = {}): TimelineRow {
  const desktop = { says: "sees a dialog 0.97", result: "gone", screenshot: `${seq}.jpg`, after: "", ...values };
  return { seq, kind: "desktop", desktop } as TimelineRow;
}

const ACTION = { seq: 2, kind: "action", desktop: null } as TimelineRow;

describe("the pictures of a check", () => {
  it("are two with a recovery between them", () => {
    const row = check(1, { after: "b.jpg" });
    expect(picturesOf(row.desktop as DesktopCheckRow)).toEqual([
      { name: "1.jpg", when: "before", alt: "sees a dialog 0.97" },
      { name: "b.jpg", when: "after", alt: "After the recovery: gone" },
    ]);
  });

  it("are one without a recovery, and none where none was kept", () => {
    expect(picturesOf(check(1).desktop as DesktopCheckRow).map((each) => each.when)).toEqual([""]);
    expect(picturesOf(check(1, { screenshot: "" }).desktop as DesktopCheckRow)).toEqual([]);
  });
});

describe("the strip", () => {
  it("has the newest picture first, and no more than asked for", () => {
    const rows = [check(1), ACTION, check(3, { after: "after3.jpg" }), check(4, { screenshot: "" })];
    expect(lastPictures(rows).map((each) => each.name)).toEqual(["after3.jpg", "3.jpg", "1.jpg"]);
    expect(lastPictures(rows, 2).map((each) => each.name)).toEqual(["after3.jpg", "3.jpg"]);
  });

  it("is empty for a run that looks at no screen", () => {
    expect(lastPictures([ACTION])).toEqual([]);
    expect(isCheck(ACTION)).toBe(false);
  });
});

describe("the look beside a look", () => {
  it("is the next check, whatever lies between", () => {
    const rows = [check(1), ACTION, check(3)];
    expect(neighbourCheck(rows, 1, 1)?.seq).toBe(3);
    expect(neighbourCheck(rows, 3, -1)?.seq).toBe(1);
    expect(neighbourCheck(rows, 3, 1)).toBeUndefined();
    expect(neighbourCheck(rows, 2, 1)).toBeUndefined();
  });
});

describe("the address of a picture", () => {
  it("is below its run, with every name quoted", () => {
    expect(pictureAddress("a b", "x?.jpg")).toBe("/api/v1/runs/a%20b/screenshots/x%3F.jpg");
  });
});
