/** Makes characters visible that a page would hide or obey: they could make a command read as another one. */

// Controls besides tab and line feed; zero width; directions of text; tags and other invisible marks.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\udb40][\udc00-\udc7f]/g;

/** Fields whose text is shown as a terminal would: their colours stay. */
const TERMINAL = new Set(["output", "error"]);
const ESCAPE = "\u001b";

/** Returns a text with every hidden character as its code. */
export function revealed(text: string, keep = ""): string {
  return text.replace(HIDDEN, (found) => (found === keep ? found : `\\u{${found.codePointAt(0)?.toString(16)}}`));
}

/** Reads JSON of the daemon; for `JSON.parse`. */
export function revealing(key: string, value: unknown): unknown {
  return typeof value === "string" ? revealed(value.replace(/\r\n?/g, "\n"), TERMINAL.has(key) ? ESCAPE : "") : value;
}
