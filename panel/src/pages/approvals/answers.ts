/** The answers that a person can give. */
import { api } from "../../api/client";
import type { ApprovalDecision, ApprovalRow } from "../../api/types";
import { notify } from "../../frame/notices";
import { READ_ONLY, readOnly } from "../../live/rights";
import { standingOf } from "./standing";

export type AnswerKind = "approve" | "edit" | "deny" | "always";

export const ANSWERS: readonly { kind: AnswerKind; label: string; key: string }[] = [
  { kind: "approve", label: "Approve once", key: "y" },
  { kind: "edit", label: "Edit …", key: "e" },
  { kind: "deny", label: "Deny …", key: "n" },
  { kind: "always", label: "Always in this project …", key: "a" },
];

/** Returns why an answer is not possible now, or "". */
export function whyNot(kind: AnswerKind, row: ApprovalRow, now: number): string {
  if (readOnly.value) return READ_ONLY;
  const state = standingOf(row, now);
  if (state === "expired") return "It has expired.";
  if (state !== "waiting") return `It was ${state} already.`;
  if (kind === "edit" && !row.editable) return "Only a command can be edited.";
  if (kind === "always" && !row.always) return "No rule can allow it for good.";
  return "";
}

/** Sends an answer, and tells what it came to. */
export async function answer(row: ApprovalRow, decision: ApprovalDecision): Promise<void> {
  const result = await api.post("/approvals/{approval}", { approval: row.id }, decision);
  notify(result.says, row.run_name, result.ok ? "green" : "red");
}
