/** Work that many things ask for at the same time. */

export interface Soon {
  ask: () => void;
  stop: () => void;
}

/** Calls `then` a while after somebody asked, once for all who did. Who asks while it runs gets another run. */
export function soon(ms: number, then: () => Promise<void>): Soon {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  let wanted = false;
  let stopped = false;

  function ask(): void {
    if (stopped) return;
    if (running) wanted = true;
    else timer ??= setTimeout(run, ms);
  }

  async function run(): Promise<void> {
    timer = undefined;
    running = true;
    try {
      await then();
    } finally {
      running = false;
    }
    if (!wanted) return;
    wanted = false;
    ask();
  }

  return {
    ask,
    stop: () => {
      clearTimeout(timer);
      stopped = true;
    },
  };
}
