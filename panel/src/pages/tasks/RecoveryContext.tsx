/** What earlier attempts left for the next agent. */
import { clock } from "../../parts/format";

interface ContextEntry {
  timestamp: string;
  event: string;
  details: { filesModified: string[]; tests: string; lastCommit: string; error: string };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function record(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
}

/** Reads the entries of a recovery context; what is not as expected is left out. */
export function entriesOf(context: Record<string, unknown>): ContextEntry[] {
  const log: unknown[] = Array.isArray(context.auditLog) ? context.auditLog : [];
  return log.map((each) => {
    const entry = record(each);
    const details = record(entry.details);
    const files: unknown[] = Array.isArray(details.filesModified) ? details.filesModified : [];
    const tests = record(details.testStatus);
    return {
      timestamp: textOf(entry.timestamp),
      event: textOf(entry.event),
      details: {
        filesModified: files.filter((file): file is string => typeof file === "string"),
        tests: "passed" in tests ? `${String(tests.passed)} passed, ${String(tests.failed ?? 0)} failed` : "",
        lastCommit: textOf(details.lastCommit),
        error: textOf(details.error),
      },
    };
  });
}

function when(timestamp: string): string {
  const at = Date.parse(timestamp) / 1000;
  return Number.isNaN(at) ? timestamp : clock(at);
}

export function RecoveryContext({ context }: { context: Record<string, unknown> }) {
  const attempts = Number(context.previousAttempts ?? 0);
  const entries = entriesOf(context);
  if (attempts === 0) return <p class="dim">Nobody has tried it before.</p>;
  const changes = context.workspaceHasChanges;
  return (
    <div class="record">
      <p>
        {attempts} earlier {attempts === 1 ? "attempt" : "attempts"}.
        {changes === true && " The workspace has changes that nobody committed."}
        {changes === false && " The workspace has no changes."}
      </p>
      {textOf(context.instruction) && <p>{textOf(context.instruction)}</p>}
      {entries.length > 0 && (
        <details>
          <summary>What it reads about them</summary>
          <ol class="task-history">
            {entries.map((each, index) => (
              <li key={index}>
                <span class="dim">{when(each.timestamp)}</span>
                <span class="dim">{each.event}</span>
                <span>
                  {[each.details.tests, each.details.lastCommit, each.details.filesModified.join(", "), each.details.error]
                    .filter(Boolean)
                    .join(" · ")}
                </span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
