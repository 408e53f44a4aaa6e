/** Reads the Markdown of reports: what Handrail writes itself, and no HTML. */

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "emphasis"; items: Inline[] };

export type Block =
  | { kind: "heading"; level: number; items: Inline[] }
  | { kind: "paragraph"; items: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "list"; ordered: boolean; items: Block[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] };

const HEADING = /^(#{1,6})\s+(.*)$/;
const FENCE = /^(`{3,}|~{3,})/;
const BULLET = /^([-*+]|\d{1,9}[.)])\s+(.*)$/;
const TABLE_LINE = /^\s*\|.*\|\s*$/;
const TABLE_RULE = /^\s*\|(\s*:?-+:?\s*\|)+\s*$/;
/** Deeper lists than any report has are shown as text. */
const DEEPEST = 8;

/** Returns the blocks of a text. */
export function readMarkdown(text: string): Block[] {
  return readBlocks(text.replaceAll("\r\n", "\n").split("\n"), 0);
}

function readBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (!line.trim()) {
      at += 1;
      continue;
    }
    const [block, next] = readBlock(lines, at, line, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

/** Returns the block that begins at a line, and the line after it. */
function readBlock(lines: readonly string[], at: number, line: string, depth: number): [Block, number] {
  const heading = HEADING.exec(line);
  if (heading) {
    return [{ kind: "heading", level: heading[1]!.length, items: readInline(heading[2] ?? "") }, at + 1];
  }
  const fence = FENCE.exec(line)?.[1];
  if (fence) {
    const end = endOf(lines, at + 1, (each) => !each.startsWith(fence));
    return [{ kind: "code", text: lines.slice(at + 1, end).join("\n") }, end + 1];
  }
  if (line.startsWith("    ")) {
    const end = endOf(lines, at, (each) => each.startsWith("    "));
    return [{ kind: "code", text: lines.slice(at, end).map((each) => each.slice(4)).join("\n") }, end];
  }
  if (BULLET.test(line) && depth < DEEPEST) return readList(lines, at, depth);
  if (TABLE_LINE.test(line) && TABLE_RULE.test(lines[at + 1] ?? "")) {
    const end = endOf(lines, at + 2, (each) => TABLE_LINE.test(each));
    const rows = lines.slice(at + 2, end).map(readRow);
    return [{ kind: "table", head: readRow(line), rows }, end];
  }
  const end = endOf(lines, at + 1, (each) => each.trim() !== "" && !startsBlock(each));
  return [{ kind: "paragraph", items: readInline(lines.slice(at, end).map((each) => each.trim()).join(" ")) }, end];
}

function readList(lines: readonly string[], from: number, depth: number): [Block, number] {
  const items: Block[][] = [];
  const ordered = /^\d/.test(lines[from] ?? "");
  let at = from;
  for (;;) {
    const bullet = BULLET.exec(lines[at] ?? "");
    if (!bullet || /^\d/.test(bullet[1]!) !== ordered) break;
    // What belongs to an item is indented; blank lines may stand between.
    let end = endOf(lines, at + 1, (each) => /^\s{2,}\S/.test(each) || !each.trim());
    while (end > at + 1 && !lines[end - 1]?.trim()) end -= 1;
    const inside = lines.slice(at + 1, end).map((each) => each.replace(/^ {1,2}/, ""));
    items.push(readBlocks([bullet[2] ?? "", ...inside], depth + 1));
    at = end;
    while (at < lines.length && !lines[at]?.trim()) at += 1;
  }
  return [{ kind: "list", ordered, items }, at];
}

function readRow(line: string): Inline[][] {
  const cells = line.trim().slice(1, -1).split(/(?<!\\)\|/);
  return cells.map((each) => readInline(each.trim()));
}

function startsBlock(line: string): boolean {
  return HEADING.test(line) || FENCE.test(line) || BULLET.test(line);
}

function endOf(lines: readonly string[], from: number, belongs: (line: string) => boolean): number {
  let at = from;
  while (at < lines.length && belongs(lines[at] ?? "")) at += 1;
  return at;
}

const INLINE = /\\([\\`*_[\]<>#|()~-])|(`+)(.+?)(?<!`)\2(?!`)|\*\*(\S(?:.*?\S)?)\*\*|(?<!\w)_(\S(?:.*?\S)?)_(?!\w)/s;

/** Returns the pieces of a line: text, code, strong and emphasized text. */
export function readInline(text: string): Inline[] {
  const pieces: Inline[] = [];
  const say = (more: string) => {
    const last = pieces.at(-1);
    if (last?.kind === "text") last.text += more;
    else if (more) pieces.push({ kind: "text", text: more });
  };
  let rest = text;
  for (;;) {
    const found = INLINE.exec(rest);
    if (!found) break;
    say(rest.slice(0, found.index));
    const [whole, escaped, , code, strong, emphasis] = found;
    if (escaped !== undefined) say(escaped);
    else if (code !== undefined) pieces.push({ kind: "code", text: code.replace(/^ (.*) $/, "$1") });
    else if (strong !== undefined) pieces.push({ kind: "strong", items: readInline(strong) });
    else pieces.push({ kind: "emphasis", items: readInline(emphasis ?? "") });
    rest = rest.slice(found.index + whole.length);
  }
  say(rest);
  return pieces;
}

/** Returns the pieces of a text that is no Markdown, such as a message of a program in a sentence. */
export function readCodeSpans(text: string): Inline[] {
  // Every second part of a split by a group is what the group found.
  return text
    .split(/`([^`\n]+)`/)
    .map((part, index): Inline => ({ kind: index % 2 ? "code" : "text", text: part }))
    .filter((piece) => piece.kind !== "text" || piece.text !== "");
}
