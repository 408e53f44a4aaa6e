import { parsePatch } from "diff";

export interface Line {
  sign: "+" | "-" | " " | "@";
  text: string;
  old: string;
  now: string;
}

export interface FileDiff {
  name: string;
  lines: readonly Line[];
}

function nameOf(old: string | undefined, now: string | undefined): string {
  const name = !now || now === "/dev/null" ? old : now;
  return (name ?? "").replace(/^[ab]\//, "");
}

/** Returns the files of a diff with numbered lines; null: it cannot be read as a diff. */
export function readDiff(text: string): readonly FileDiff[] | null {
  try {
    return parsePatch(text).map((file) => ({
      name: nameOf(file.oldFileName, file.newFileName),
      lines: file.hunks.flatMap((hunk) => {
        let old = hunk.oldStart;
        let now = hunk.newStart;
        const head: Line = { sign: "@", text: `line ${now}`, old: "", now: "" };
        const lines = hunk.lines
          .filter((line) => !line.startsWith("\\"))
          .map((line): Line => {
            const sign = line[0] as Line["sign"];
            const text = line.slice(1);
            if (sign === "+") return { sign, text, old: "", now: String(now++) };
            if (sign === "-") return { sign, text, old: String(old++), now: "" };
            return { sign: " ", text, old: String(old++), now: String(now++) };
          });
        return [head, ...lines];
      }),
    }));
  } catch {
    return null;
  }
}
