import { describe, expect, it } from "vitest";
import { addressOf } from "../src/api/client";
import { findBinding } from "../src/frame/keys";
import { matchPath } from "../src/frame/match";
import { nextPlace } from "../src/pages/login/nextPlace";
import { dollars, plural, short, span } from "../src/parts/format";

describe("addresses of the API", () => {
  it("fill in the path and put the rest into the query", () => {
    expect(addressOf("/runs/{run}/timeline", { run: "a/b ü", after: 3, before: undefined })).toBe(
      "/api/v1/runs/a%2Fb%20%C3%BC/timeline?after=3",
    );
    expect(addressOf("/runs")).toBe("/api/v1/runs");
  });
});

describe("addresses of the panel", () => {
  it("match a pattern and give its parameters", () => {
    expect(matchPath("/", "/")).toEqual({});
    expect(matchPath("/runs/:id", "/runs/a%2Fb")).toEqual({ id: "a/b" });
    expect(matchPath("/runs/:id", "/runs/a/")).toEqual({ id: "a" });
    expect(matchPath("/runs/:id", "/runs")).toBeNull();
    expect(matchPath("/runs/:id", "/runs/%zz")).toBeNull();
  });

  it("after a login lead nowhere but into the panel", () => {
    expect(nextPlace("/runs/a?step=3")).toBe("/runs/a?step=3");
    for (const foreign of ["//evil.example", "/\\evil.example", "https://evil.example", "/login", null]) {
      expect(nextPlace(foreign)).toBe("/");
    }
  });
});

describe("keys", () => {
  const nothing = () => undefined;
  const groups = [
    { title: "Everywhere", bindings: [{ key: "g r", says: "runs", run: nothing }, { key: "j", says: "old", run: nothing }] },
    { title: "Page", bindings: [{ key: "j", says: "new", run: nothing }] },
  ];

  it("belong to the latest group that has them", () => {
    expect(findBinding(groups, "j").binding?.says).toBe("new");
  });

  it("can be typed one after the other", () => {
    expect(findBinding(groups, "g")).toEqual({ binding: undefined, prefix: true });
    expect(findBinding(groups, "g r").binding?.says).toBe("runs");
  });
});

describe("numbers and times", () => {
  it("are short", () => {
    expect([0, 59, 61, 3600, 11_400, 86_400, 172_900].map(span)).toEqual(
      ["0 s", "59 s", "1 min", "1 h", "3 h 10 min", "1 day", "2 days"],
    );
    expect([null, 0, 0.004, 0.42, 12].map(dollars)).toEqual(["", "$0.00", "<$0.01", "$0.42", "$12.00"]);
    expect([950, 12_345, 99_960, 1_200_000].map(short)).toEqual(["950", "12.3 k", "100 k", "1.2 M"]);
    expect([1, 2, 1200].map((count) => plural(count, "action"))).toEqual(["1 action", "2 actions", "1,200 actions"]);
  });
});
