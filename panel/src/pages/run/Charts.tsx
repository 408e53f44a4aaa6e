/** Risk, tokens, cost and memory over time; lines mark findings, interventions and rollbacks. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { RunSeries, SeriesMark } from "../../api/types";
import { theme } from "../../frame/theme";
import { dollars, short } from "../../parts/format";
import { type Level, RISK_LEVELS, type Values, lastOf, splitByLevel } from "./levels";

const HEIGHT = 64;

interface ChartSpec {
  title: string;
  values: (series: RunSeries) => Values;
  say: (value: number) => string;
  /** Fixed upper end of the scale; otherwise the largest value. */
  most?: number;
  /** Bars in the colour of their height, instead of a line. */
  levels?: readonly Level[];
}

const CHARTS: readonly ChartSpec[] = [
  { title: "Risk", values: (series) => series.risk, say: (value) => value.toFixed(2), most: 1, levels: RISK_LEVELS },
  { title: "Tokens", values: (series) => series.tokens, say: short },
  { title: "Cost", values: (series) => series.cost_usd, say: dollars },
  { title: "Memory", values: (series) => series.memory_mb, say: (value) => `${short(value)} MB` },
];

/** The custom properties hold `light-dark(…)`: an element's own colour is the resolved one. */
function resolved(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const found = getComputedStyle(element).color;
  element.style.color = "";
  return found;
}

function bars(fill: string): uPlot.Series {
  const paths = uPlot.paths.bars?.({ size: [0.6, 6, 1] });
  return { fill, width: 0, points: { show: false }, ...(paths ? { paths } : {}) };
}

function line(stroke: string): uPlot.Series {
  const fill = `color-mix(in srgb, ${stroke} 14%, transparent)`;
  return { stroke, fill, width: 1.5, points: { show: false }, spanGaps: true };
}

function drawMarks(plot: uPlot, marks: readonly SeriesMark[], colours: Record<string, string>): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark.at, "x", true)) + 0.5;
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = ctx.fillStyle = colours[mark.tone] ?? colours.dim ?? "";
    ctx.globalAlpha = 0.55;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.globalAlpha = 1;
    const size = 3 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top - size);
    ctx.lineTo(x + size, bbox.top);
    ctx.lineTo(x, bbox.top + size);
    ctx.lineTo(x - size, bbox.top);
    ctx.fill();
  }
  ctx.restore();
}

interface ChartProps {
  spec: ChartSpec;
  series: RunSeries;
  onStep: (step: number) => void;
}

function Chart({ spec, series, onStep }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const values = spec.values(series);
  const last = lastOf(values);
  const dark = theme.value;

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const colours = Object.fromEntries(
      ["red", "yellow", "green", "dim", "accent"].map((name) => [name, resolved(element, `--${name}`)]),
    );
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        padding: [6, 2, 2, 2],
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        axes: [{ show: false }, { show: false }],
        scales: { y: { range: (_plot, _low, high) => [0, spec.most ?? Math.max(high * 1.08, 1e-9)] } },
        series: [{}, ...(spec.levels?.map((each) => bars(colours[each.colour] ?? "")) ?? [line(colours.accent ?? "")])],
        hooks: { draw: [(drawn) => drawMarks(drawn, series.marks, colours)] },
      },
      [[...series.at], ...(spec.levels ? splitByLevel(values, spec.levels) : [[...values]])],
      element,
    );
    const chosen = () => {
      const step = plot.cursor.idx == null ? 0 : series.step[plot.cursor.idx];
      if (step) onStep(step);
    };
    plot.over.addEventListener("click", chosen);
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [series, dark]);

  return (
    <figure class="chart">
      <figcaption>
        {spec.title} <strong>{last === null ? "" : spec.say(last)}</strong>
      </figcaption>
      <div ref={place} class="chart-place" />
    </figure>
  );
}

export default function Charts({ series, onStep }: { series: RunSeries; onStep: (step: number) => void }) {
  // Some agents tell nothing of their use: an empty chart would only take room.
  const measured = CHARTS.filter((spec) => lastOf(spec.values(series)) !== null);
  if (measured.length === 0) return null;
  return (
    <div class="charts" role="group" aria-label="Charts over time; a click shows the action at that moment">
      {measured.map((spec) => (
        <Chart key={spec.title} spec={spec} series={series} onStep={onStep} />
      ))}
    </div>
  );
}
