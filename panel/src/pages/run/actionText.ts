/** Returns what a tool does in one text: its command, or its input line by line. */
export function inputText(input: Record<string, unknown>): string {
  if (typeof input.command === "string") return input.command;
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n");
}
