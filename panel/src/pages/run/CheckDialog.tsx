/** One look of a desktop watch in full: its pictures, what it saw and did, and what came of that. */
import { readOnly } from "../../live/rights";
import { Dialog } from "../../parts/Dialog";
import { Fact, Facts } from "../../parts/Facts";
import { clock, dollars, span } from "../../parts/format";
import { Icon } from "../../parts/Icon";
import { Mark } from "../../parts/Mark";
import { ScreenPicture } from "./ScreenPicture";
import { NO_PICTURES } from "./ScreenStrip";
import { picturesOf, type CheckRow } from "./screenshots";

const RECOGNISED: Record<string, string> = { local: "Handrail itself, without a model", vision: "a model" };

interface CheckDialogProps {
  run: string;
  row: CheckRow;
  earlier: CheckRow | undefined;
  later: CheckRow | undefined;
  onOpen: (seq: number) => void;
  onClose: () => void;
}

export function CheckDialog({ run, row, earlier, later, onOpen, onClose }: CheckDialogProps) {
  const check = row.desktop;
  return (
    <Dialog wide title={`Look ${row.step}, ${clock(row.at)}`} onClose={onClose}>
      {/* It has the focus: a small screen begins here, and not at the buttons. */}
      <p class="look-says" tabIndex={-1} autofocus>
        <Mark mark={row.mark} tone={row.tone} /> {check.says}
      </p>
      <Pictures run={run} row={row} />
      <Facts>
        <Fact name="Done">
          {check.steps.length > 0 && (
            <ul class="lines">
              {check.steps.map((step, index) => (
                <li key={index} class={step.ok ? "" : "tone-red"}>
                  {step.says}
                </li>
              ))}
            </ul>
          )}
        </Fact>
        <Fact name="Result">{check.result}</Fact>
        <Fact name="Expected file">{check.expected_file}</Fact>
        <Fact name="Shown file">{check.actual_file}</Fact>
        <Fact name="Attempt">{check.attempt > 0 && check.attempt}</Fact>
        <Fact name="Recognised by">{RECOGNISED[check.source] ?? check.source}</Fact>
        <Fact name="Worker">{check.context}</Fact>
        <Fact name="Took">{check.ms >= 1 && duration(check.ms)}</Fact>
        <Fact name="Cost">{check.cost_usd > 0 && dollars(check.cost_usd)}</Fact>
      </Facts>
      {check.raw_response && (
        <details>
          <summary>Answer of the model</summary>
          <pre class="command">{check.raw_response}</pre>
        </details>
      )}
      <div class="dialog-foot">
        <button type="button" class="button" disabled={!earlier} onClick={() => earlier && onOpen(earlier.seq)}>
          <Icon name="back" /> Look before
        </button>
        <button type="button" class="button" disabled={!later} onClick={() => later && onOpen(later.seq)}>
          Next look
        </button>
        <button type="button" class="button button-primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Pictures({ run, row }: { run: string; row: CheckRow }) {
  const pictures = picturesOf(row.desktop);
  if (!pictures.length) return null;
  if (readOnly.value) return <p class="dim">{NO_PICTURES}</p>;
  return (
    <div class={pictures.length > 1 ? "screen-pair" : "screen-one"}>
      {pictures.map((picture) => (
        <figure key={picture.name}>
          <ScreenPicture run={run} picture={picture} />
          {picture.when && <figcaption class="dim">{picture.when} the recovery</figcaption>}
        </figure>
      ))}
    </div>
  );
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : span(ms / 1000);
}
