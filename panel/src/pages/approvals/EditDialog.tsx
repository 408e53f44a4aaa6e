/** Lets another command run instead: Handrail reviews it first, and the person sees the verdict. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { ApprovalRow, EditVerdict } from "../../api/types";
import { inputText } from "../../parts/actionText";
import { DialogForm } from "../../parts/DialogForm";
import { WordDiff } from "../../parts/DiffView";
import { MarkdownLine } from "../../parts/Markdown";
import { CommandParts, EffectList, RiskNote } from "../../parts/Understood";
import { answer } from "./answers";
import { editableTexts, editsOf } from "./standing";

interface EditDialogProps {
  row: ApprovalRow;
  onClose: () => void;
  onDone: () => void;
}

export function EditDialog({ row, onClose, onDone }: EditDialogProps) {
  const texts = useSignal<Readonly<Record<string, string>>>(Object.fromEntries(editableTexts(row.input)));
  const verdict = useSignal<EditVerdict | null>(null);
  const edited = editsOf(row.input, texts.value);
  const changed = Object.keys(edited).length > 0;
  const reviewed = verdict.value;

  async function send(): Promise<void> {
    if (reviewed?.possible) {
      await answer(row, { decision: "approve", edited });
      onDone();
    } else {
      const asked = texts.peek();
      const found = await api.post("/approvals/{approval}/review", { approval: row.id }, { edited });
      // Who typed on meanwhile must not see the verdict on other words.
      if (asked === texts.peek()) verdict.value = found;
    }
  }

  return (
    <DialogForm
      title={`Edit: ${row.run_name}`}
      label={reviewed?.possible ? "Approve the edited one, once" : "Review it"}
      busyLabel="Asking …"
      disabled={!changed || reviewed?.possible === false}
      wide
      send={send}
      onClose={onClose}
    >
      <p class="dim">Handrail reviews it before you approve it. It then runs once, and the agent is told.</p>
      {Object.entries(texts.value).map(([name, text], index) => (
        <label key={name} class="dialog-field">
          {name}
          <textarea
            class="mono"
            rows={Math.min(10, text.split("\n").length + 1)}
            spellcheck={false}
            autofocus={index === 0}
            value={text}
            onInput={(event) => {
              texts.value = { ...texts.peek(), [name]: event.currentTarget.value };
              verdict.value = null;
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
            }}
          />
        </label>
      ))}
      <div aria-live="polite">{reviewed && <Verdict verdict={reviewed} />}</div>
    </DialogForm>
  );
}

function headingOf(verdict: EditVerdict): { title: string; tone: string } {
  if (!verdict.possible) return { title: "✗ It cannot be approved.", tone: "red" };
  if (verdict.decision === "block") return { title: "! Handrail would stop it, too. You may let it run.", tone: "yellow" };
  return { title: "✓ It can run.", tone: "green" };
}

function Verdict({ verdict }: { verdict: EditVerdict }) {
  const { title, tone } = headingOf(verdict);
  return (
    <section class="record" aria-label="The review of the edited command">
      <p class={`note note-${tone}`}>
        <strong>{title}</strong> <span>{verdict.reason}</span>
      </p>
      <p>
        <RiskNote risk={verdict.risk} severity={verdict.severity} />
      </p>
      {verdict.parts.length > 0 && <CommandParts parts={verdict.parts} />}
      {verdict.effects.length > 0 && <EffectList effects={verdict.effects} />}
      {verdict.rewritten && (
        <div>
          <p class="dim">Handrail runs it as:</p>
          <WordDiff before={inputText(verdict.input)} after={inputText(verdict.rewritten)} />
        </div>
      )}
      {verdict.alternative && (
        <p>
          <span class="dim">Instead:</span> <MarkdownLine text={verdict.alternative} />
        </p>
      )}
    </section>
  );
}
