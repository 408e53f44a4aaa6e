/** Was this right? One click; another click changes the answer. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import { notifyError } from "../../frame/notices";

interface FeedbackProps {
  run: string;
  given: "" | "right" | "wrong";
  about: { step: number; finding?: string };
  onGiven: () => void;
}

const CHOICES = [
  { right: true, value: "right", sign: "✓", says: "Right" },
  { right: false, value: "wrong", sign: "✗", says: "Wrong" },
] as const;

export function Feedback({ run, given, about, onGiven }: FeedbackProps) {
  const chosen = useSignal<"" | "right" | "wrong">("");
  const shown = chosen.value || given;

  async function give(right: boolean): Promise<void> {
    try {
      await api.post("/runs/{run}/feedback", { run }, { right, ...about });
      chosen.value = right ? "right" : "wrong";
      onGiven();
    } catch (error) {
      notifyError(error);
    }
  }

  return (
    <div class="feedback" role="group" aria-label={about.finding ? "Was this finding right?" : "Was this verdict right?"}>
      <span class="dim">Was this right?</span>
      {CHOICES.map((each) => (
        <button
          key={each.value}
          type="button"
          class="button button-small"
          aria-pressed={shown === each.value}
          onClick={() => give(each.right)}
        >
          {each.sign} {each.says}
        </button>
      ))}
    </div>
  );
}
