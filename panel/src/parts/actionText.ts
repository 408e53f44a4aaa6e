/** Actions as text. */
import type { FactorRow } from "../api/types";

/** Returns what a tool does in one text: its command, or its input line by line. */
export function inputText(input: Record<string, unknown>): string {
  if (typeof input.command === "string") return input.command;
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n");
}

/** Returns the numbers behind a risk: `delete 0.80  outside scope +0.30`. */
export function factorLine(factors: readonly FactorRow[]): string {
  return factors
    .map(({ name, weight }, index) => `${name} ${index && weight >= 0 ? "+" : ""}${weight.toFixed(2)}`)
    .join("  ");
}
