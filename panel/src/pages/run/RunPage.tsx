/** One run: its controls, its charts, its timeline, and the chosen action. */
import type { PageProps } from "../table";
import { runs } from "../../live/runs";

export default function RunPage({ parameters }: PageProps) {
  const run = runs.value.get(parameters.id ?? "");
  return <div class="page">{run ? <h1>{run.name}</h1> : <p class="loading">Reading the run …</p>}</div>;
}
