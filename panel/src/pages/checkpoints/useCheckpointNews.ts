/** Says when the checkpoints of a folder may have changed. */
import { useEffect } from "preact/hooks";
import { useFrames, useSparing } from "../../live/fleets";

/** A checkpoint that a person saves is in no log, so nothing but a look tells of it. */
const LOOK_EVERY_MS = 5000;

/** Calls `look` soon after a run of the folder went on, and now and then. */
export function useCheckpointNews(folder: string, look: () => void): void {
  const soon = useSparing(look);
  useFrames((came) => {
    if (came.some((frame) => frame.runs?.some((each) => each.cwd === folder))) soon();
  });
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) soon();
    }, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [folder]);
}
