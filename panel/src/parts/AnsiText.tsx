/** The output of a command with its colours. Text stays text: nothing in it can become markup. */
import Anser from "anser";
import { useMemo } from "preact/hooks";

const EFFECTS = new Set(["bold", "dim", "italic", "underline", "strikethrough"]);

function classesOf(part: Anser.AnserJsonEntry): string {
  const decorations = (part.decorations ?? []) as readonly string[];
  const classes = decorations.filter((each) => EFFECTS.has(each)).map((each) => `ansi-${each}`);
  // Colours beyond the sixteen with a name are left out: they would not fit both themes.
  for (const [colour, kind] of [
    [part.fg, "fg"],
    [part.bg, "bg"],
  ] as const) {
    if (colour && /^ansi-(bright-)?[a-z]+$/.test(colour)) classes.push(`${kind}-${colour.slice(5)}`);
  }
  return classes.join(" ");
}

export function AnsiText({ text }: { text: string }) {
  const parts = useMemo(
    () => Anser.ansiToJson(text.replaceAll("\r\n", "\n"), { json: true, remove_empty: true, use_classes: true }),
    [text],
  );
  return (
    <pre class="ansi" tabIndex={0}>
      {parts.map((part, index) => {
        const classes = classesOf(part);
        return classes ? (
          <span key={index} class={classes}>
            {part.content}
          </span>
        ) : (
          part.content
        );
      })}
    </pre>
  );
}
