import { describe, expect, it } from "vitest";
import { type PaletteItem, findItems } from "../src/frame/paletteMatch";

function item(label: string, detail = "", whyNot = ""): PaletteItem {
  return { id: label, group: "Runs", label, detail, key: "", whyNot, run: () => undefined };
}

const labels = (found: readonly PaletteItem[]) => found.map((each) => each.label);

describe("the palette", () => {
  const items = [item("Show a stop"), item("Stop"), item("cart-total", "fix the cart"), item("docs", "stop flaking"), item("unstoppable")];

  it("shows everything in its order while nothing is typed", () => {
    expect(labels(findItems(items, " ", 3))).toEqual(["Show a stop", "Stop", "cart-total"]);
  });

  it("finds all words, in any order and case, the beginning of a label first", () => {
    expect(labels(findItems(items, "STOP", 9))).toEqual(["Stop", "Show a stop", "unstoppable", "docs"]);
    expect(labels(findItems(items, "fix cart", 9))).toEqual(["cart-total"]);
    expect(findItems(items, "cart nothing", 9)).toEqual([]);
  });

  it("shows what is possible before what is not", () => {
    expect(labels(findItems([item("Pause", "", "over"), item("Pause all")], "pause", 9))).toEqual(["Pause all", "Pause"]);
  });
});
