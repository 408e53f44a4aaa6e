/** One action in full: as understood, its effects, what came of it, and why it was decided so. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { api } from "../../api/client";
import type { ActionDetail } from "../../api/types";
import { notifyError } from "../../frame/notices";
import { factorLine, inputText } from "../../parts/actionText";
import { AnsiText } from "../../parts/AnsiText";
import { DiffView, WordDiff } from "../../parts/DiffView";
import { clock, plural } from "../../parts/format";
import { Icon } from "../../parts/Icon";
import { CommandParts, EffectList, RiskNote } from "../../parts/Understood";
import { Feedback } from "./Feedback";
import { UndoButton } from "./UndoButton";

const DECISIONS: Record<string, { sign: string; tone: string; word: string }> = {
  allow: { sign: "✓", tone: "green", word: "allowed" },
  warn: { sign: "!", tone: "yellow", word: "allowed with a warning" },
  modify: { sign: "~", tone: "yellow", word: "changed" },
  block: { sign: "✗", tone: "red", word: "stopped" },
};

interface ActionPanelProps {
  run: string;
  folder: string;
  step: number;
  /** Changes when the action's row did: it is loaded again. */
  version: string;
  onClose: () => void;
}

export function ActionPanel({ run, folder, step, version, onClose }: ActionPanelProps) {
  const action = useSignal<ActionDetail | null>(null);
  useEffect(() => {
    let wanted = true;
    api
      .get("/runs/{run}/actions/{step}", { run, step })
      .then((found) => {
        if (wanted) action.value = found;
      })
      .catch(notifyError);
    return () => {
      wanted = false;
    };
  }, [run, step, version]);

  const found = action.value?.step === step ? action.value : null;
  return (
    <section class="action" aria-label={`Action ${step}`}>
      <header class="action-head">
        <button type="button" class="icon-button narrow-only" aria-label="Back to the timeline" onClick={onClose}>
          <Icon name="back" />
        </button>
        <h2>Action {step}</h2>
        {found && <time class="dim">{clock(found.at)}</time>}
        <button type="button" class="icon-button action-close" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {found ? <Details action={found} run={run} folder={folder} /> : <p class="loading">Reading the action …</p>}
    </section>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Details({ action, run, folder }: { action: ActionDetail; run: string; folder: string }) {
  const decided = DECISIONS[action.decision] ?? { sign: "·", tone: "dim", word: action.decision };
  return (
    <>
      <p class="action-verdict">
        <strong class={`tone-${decided.tone}`}>
          {decided.sign} {decided.word}
        </strong>
        <RiskNote risk={action.risk} severity={action.severity} />
        <span class="dim">{action.status.replace(/^\S\s?/, "")}</span>
      </p>
      <Understood action={action} />
      <Effects action={action} />
      <Why action={action} />
      <Outcome action={action} />
      <footer class="action-foot">
        {action.undoable && <UndoButton run={run} folder={folder} step={action.step} />}
        <Feedback run={run} given={action.feedback} about={{ step: action.step }} onGiven={() => undefined} />
      </footer>
    </>
  );
}

function Understood({ action }: { action: ActionDetail }) {
  const asked = inputText(action.input);
  const explained = action.parts.some((part) => part.says);
  return (
    <Part title={action.tool}>
      {!action.diff && <pre class="command">{asked}</pre>}
      {explained && <CommandParts parts={action.parts} />}
      {action.diff && <DiffView diff={action.diff} />}
      {action.rewritten && (
        <>
          <p class="part-note">Handrail changed it to:</p>
          <WordDiff before={asked} after={inputText(action.rewritten)} />
        </>
      )}
      {action.changes.map((each) => (
        <p key={each}>~ {each}</p>
      ))}
      <p class="dim mono cut" title={action.cwd}>
        in {action.cwd}
      </p>
    </Part>
  );
}

function Effects({ action }: { action: ActionDetail }) {
  if (action.effects.length === 0) return null;
  return (
    <Part title="Effects">
      <EffectList effects={action.effects} />
      {action.unforeseen.map((each) => (
        <p key={each} class="tone-red">
          ✗ not foreseen: {each}
        </p>
      ))}
    </Part>
  );
}

function Why({ action }: { action: ActionDetail }) {
  return (
    <Part title="Why">
      {action.reasons.map((each) => (
        <p key={each}>{each}</p>
      ))}
      {action.rationality_issues.map((each) => (
        <p key={each} class="tone-yellow">
          ! {each}
        </p>
      ))}
      {action.factors.length > 0 && <p class="dim">Risk: {factorLine(action.factors)}</p>}
      {action.rules.length > 0 && <p class="dim">Rules: {action.rules.join(", ")}</p>}
      {action.alternatives.length > 0 && (
        <>
          <p class="part-note">Instead:</p>
          {action.alternatives.map((each) => (
            <pre key={each} class="command">
              {each}
            </pre>
          ))}
        </>
      )}
      <p class="dim">Reviewed in {action.review_ms.toFixed(1)} ms</p>
    </Part>
  );
}

function Outcome({ action }: { action: ActionDetail }) {
  const shown = useSignal(false);
  const text = [action.output, action.error].filter(Boolean).join("\n");
  const files = [...action.created.map((each) => `+ ${each}`), ...action.changed.map((each) => `~ ${each}`)];
  if (!text && files.length === 0 && !action.restore) return null;
  const lines = text.split("\n").length;
  return (
    <Part title={action.exit_code === null ? "Result" : `Result: exit ${action.exit_code}`}>
      {files.length > 0 && <pre class="command">{files.join("\n")}</pre>}
      {text && !shown.value && (
        <button type="button" class="button button-small" onClick={() => (shown.value = true)}>
          Show the output ({plural(lines, "line")})
        </button>
      )}
      {text && shown.value && <AnsiText text={text} />}
      {action.restore && (
        <p class="dim">
          To put it back: <code>{action.restore}</code>
        </p>
      )}
    </Part>
  );
}
