/** Work that is asked for much more often than it is worth doing. */

/** Calls `then` at once after a while without it, and else at most every `ms`: once for all who asked meanwhile. */
export function paced(ms: number, then: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = Number.NEGATIVE_INFINITY;

  function run(): void {
    timer = undefined;
    last = performance.now();
    then();
  }

  return () => {
    timer ??= setTimeout(run, Math.max(0, last + ms - performance.now()));
  };
}
