/** Small bar charts. The numbers stand beside the bars, so nobody needs to see them. */
import { useId } from "preact/hooks";
import { dollars } from "../../parts/format";
import type { DayCost } from "./sums";

const WIDTH = 120;
const HEIGHT = 8;
const MOST = 8;

interface BarsProps {
  title: string;
  rows: readonly { name: string; label: string; count: number }[];
  tone: "red" | "yellow" | "accent";
  /** What stands there without rows. */
  none: string;
}

export function Bars({ title, rows, tone, none }: BarsProps) {
  const id = useId();
  const peak = Math.max(1, ...rows.map((each) => each.count));
  return (
    <section class="card chart" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {rows.length === 0 && <p class="dim">{none}</p>}
      <BarRows rows={rows.slice(0, MOST)} peak={peak} tone={tone} />
      {rows.length > MOST && (
        <details>
          <summary>{rows.length - MOST} more</summary>
          <BarRows rows={rows.slice(MOST)} peak={peak} tone={tone} />
        </details>
      )}
    </section>
  );
}

function BarRows({ rows, peak, tone }: Pick<BarsProps, "rows" | "tone"> & { peak: number }) {
  return (
    <ul class="bar-rows">
      {rows.map((each) => (
        <li key={each.name}>
          <span class="cut" title={each.label}>
            {each.label}
          </span>
          <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
            <rect class={`bar-fill-${tone}`} width={Math.max(2, (WIDTH * each.count) / peak)} height={HEIGHT} rx={2} />
          </svg>
          <strong>{each.count.toLocaleString("en-US")}</strong>
        </li>
      ))}
    </ul>
  );
}

const DAY_WIDTH = 320;
const DAY_HEIGHT = 90;
const WIDEST_DAY = 24;

export function DayBars({ title, days }: { title: string; days: readonly DayCost[] }) {
  const id = useId();
  const peak = Math.max(0.01, ...days.map((each) => each.cost));
  const step = Math.min(WIDEST_DAY, DAY_WIDTH / Math.max(1, days.length));
  const total = days.reduce((sum, each) => sum + each.cost, 0);
  const [first, last] = [days[0]?.day ?? "", days.at(-1)?.day ?? ""];
  return (
    <section class="card chart" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {days.length === 0 ? (
        <p class="dim">Nothing was spent.</p>
      ) : (
        <>
          <svg
            class="day-bars"
            viewBox={`0 0 ${DAY_WIDTH} ${DAY_HEIGHT}`}
            role="img"
            aria-label={`${dollars(total)} from ${first} to ${last}, at most ${dollars(peak)} a day`}
          >
            {days.map((each, index) => {
              const height = (DAY_HEIGHT * each.cost) / peak;
              return (
                <rect
                  key={each.day}
                  class="bar-fill-accent"
                  x={index * step}
                  y={DAY_HEIGHT - height}
                  width={Math.max(1, step - 1)}
                  height={height}
                >
                  <title>{`${each.day}: ${dollars(each.cost)}`}</title>
                </rect>
              );
            })}
          </svg>
          <p class="chart-ends dim">
            <span>{first}</span>
            {last !== first && <span>{last}</span>}
            <span>at most {dollars(peak)} a day</span>
          </p>
        </>
      )}
    </section>
  );
}
