import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { paced } from "../src/live/paced";

describe("what is asked for all the time", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is done at once the first time, and after a while without it", () => {
    const work = vi.fn();
    const ask = paced(250, work);
    ask();
    vi.advanceTimersByTime(0);
    expect(work).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(250);
    ask();
    vi.advanceTimersByTime(0);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it("is done once for all who ask in between, and not forgotten", () => {
    const work = vi.fn();
    const ask = paced(250, work);
    ask();
    vi.advanceTimersByTime(0);
    for (let asked = 0; asked < 20; asked += 1) {
      ask();
      vi.advanceTimersByTime(10);
    }
    expect(work).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(50);
    expect(work).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(1000);
    expect(work).toHaveBeenCalledTimes(2);
  });
});
