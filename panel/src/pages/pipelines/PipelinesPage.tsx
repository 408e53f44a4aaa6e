/** The pipelines: their steps, what was refused in them, and what it cost. Running ones are live. */
import { api } from "../../api/client";
import type { PipelineRow, PipelineStepRow } from "../../api/types";
import { useFrames, useSparing } from "../../live/fleets";
import { usePages } from "../../live/pages";
import { reloads } from "../../live/runs";
import { Ago, now } from "../../parts/Ago";
import { Empty } from "../../parts/Empty";
import { dollars, plural, span } from "../../parts/format";
import { CodeSpans } from "../../parts/Markdown";
import { Mark } from "../../parts/Mark";
import { More } from "../../parts/More";
import { REVIEW_WORDS, signOfPipeline, signOfStep } from "./signs";
import "./pipelines.css";

const PAGE = 50;

export default function PipelinesPage() {
  const { value, problem, again, more } = usePages(
    (cursor) => api.get("/pipelines", { limit: PAGE, cursor }),
    [reloads.value],
  );
  const soon = useSparing(again);
  useFrames((came) => {
    if (came.some((frame) => frame.pipelines)) soon();
  });
  return (
    <div class="page">
      <header class="page-head">
        <h1>Pipelines</h1>
        <button type="button" class="button" onClick={again}>
          Look again
        </button>
      </header>
      {problem && (
        <p class="note note-red" role="alert">
          <span>{problem}</span>
        </p>
      )}
      {!value && !problem && <p class="loading">Reading the pipelines …</p>}
      {value?.items.length === 0 && (
        <Empty title="No pipeline has run yet.">
          <p>
            Steps one after the other, each supervised: <code>handrail pipeline run pipeline.yaml</code>
          </p>
        </Empty>
      )}
      <div class="pipelines">
        {value?.items.map((each) => (
          <Pipeline key={each.id} pipeline={each} />
        ))}
      </div>
      {value?.next && <More onMore={more} />}
    </div>
  );
}

function Pipeline({ pipeline }: { pipeline: PipelineRow }) {
  const sign = signOfPipeline(pipeline);
  const seconds = pipeline.status === "running" ? now.value - pipeline.started : pipeline.seconds;
  return (
    <article class="pipeline card" aria-label={`Pipeline ${pipeline.name}`}>
      <header class="pipeline-head">
        <h2>
          <Mark mark={sign.mark} tone={sign.tone} /> {pipeline.name}
        </h2>
        <p>
          <span class={`tone-${sign.tone}`}>{sign.says}</span>
          <span class="dim">
            {" · "}
            {span(seconds)} · <Ago at={pipeline.started} suffix=" ago" />
            {pipeline.by && ` · by ${pipeline.by}`}
            {pipeline.cost_usd > 0 && ` · ${dollars(pipeline.cost_usd)}`}
          </span>
        </p>
      </header>
      <ol class="pipeline-steps" aria-label="Steps">
        {pipeline.steps.map((each) => (
          <Step key={each.name} step={each} />
        ))}
      </ol>
      <Review review={pipeline.review} />
      {pipeline.blocked.length > 0 && (
        <section class="pipeline-blocked" aria-label="Stopped actions">
          <h3>{plural(pipeline.blocked.length, "action")} stopped</h3>
          <ul class="lines">
            {pipeline.blocked.map((each) => (
              <li key={`${each.run} ${each.action}`}>
                <Mark mark="✗" tone="red" />
                <span class="dim">{each.step}</span>{" "}
                <a href={`/runs/${encodeURIComponent(each.run)}?step=${each.action}`}>
                  {each.tool} <code>{each.says}</code>
                </a>
                <div class="dim pipeline-why">
                  <CodeSpans text={each.reason} />
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p class="dim pipeline-file">
        <code>{pipeline.file || pipeline.folder}</code>
      </p>
    </article>
  );
}

function Step({ step }: { step: PipelineStepRow }) {
  const sign = signOfStep(step.status);
  const facts = [
    step.type,
    step.seconds > 0 ? span(step.seconds) : "",
    step.attempts > 1 ? `${step.attempts} attempts` : "",
    step.cost_usd > 0 ? dollars(step.cost_usd) : "",
  ].filter(Boolean);
  return (
    <li class={`pipeline-step step-${sign.tone || "plain"}`}>
      <strong>
        <Mark mark={sign.mark} tone={sign.tone} />
        {step.name}
      </strong>
      <span class={`tone-${sign.tone || "plain"}`}>{sign.says}</span>
      <span class="dim">{facts.join(" · ")}</span>
      {step.says && (
        <span class="dim pipeline-says" title={step.says}>
          <CodeSpans text={step.says} />
        </span>
      )}
      {step.runs.map((run, index) => (
        <a key={run} href={`/runs/${encodeURIComponent(run)}`}>
          {step.runs.length > 1 ? `Show run ${index + 1}` : "Show its run"}
        </a>
      ))}
    </li>
  );
}

function Review({ review }: { review: Record<string, number> }) {
  const said = REVIEW_WORDS.filter((each) => (review[each.name] ?? 0) > 0);
  if (said.length === 0) return null;
  return (
    <ul class="pipeline-review" aria-label="Reviews">
      {said.map((each) => (
        <li key={each.name} class={`tone-${each.tone || "plain"}`}>
          <strong>{(review[each.name] ?? 0).toLocaleString("en-US")}</strong> {each.says}
        </li>
      ))}
    </ul>
  );
}
