import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { soon } from "../src/live/soon";

describe("what is asked for soon", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is done once for all who asked before", async () => {
    const work = vi.fn(async () => undefined);
    const asked = soon(100, work);
    asked.ask();
    asked.ask();
    await vi.advanceTimersByTimeAsync(1000);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it("is done once more for who asked while it was under way", async () => {
    let finish = (): void => undefined;
    const work = vi.fn(() => new Promise<void>((done) => (finish = done)));
    const asked = soon(100, work);
    asked.ask();
    await vi.advanceTimersByTimeAsync(100);
    asked.ask();
    finish();
    await vi.advanceTimersByTimeAsync(100);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it("is done no more after the end", async () => {
    let finish = (): void => undefined;
    const work = vi.fn(() => new Promise<void>((done) => (finish = done)));
    const asked = soon(100, work);
    asked.ask();
    await vi.advanceTimersByTimeAsync(100);
    asked.ask();
    asked.stop();
    finish();
    await vi.advanceTimersByTimeAsync(1000);
    expect(work).toHaveBeenCalledTimes(1);
  });
});
