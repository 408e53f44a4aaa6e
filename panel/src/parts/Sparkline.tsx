/** The risk of a run's last actions as small bars. */

const WIDTH = 3;
const GAP = 1;
const HEIGHT = 18;
const BARS = 24;

function level(value: number): string {
  if (value >= 0.7) return "spark-high";
  return value >= 0.3 ? "spark-middle" : "spark-low";
}

export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const shown = values.slice(-BARS);
  const width = BARS * (WIDTH + GAP);
  const peak = shown.length ? Math.max(...shown) : 0;
  return (
    <svg class="spark" width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img">
      <title>{shown.length ? `${label}: at most ${peak.toFixed(2)}` : `${label}: none yet`}</title>
      {shown.map((value, index) => {
        const height = Math.max(1.5, Math.min(1, value) * HEIGHT);
        const x = (BARS - shown.length + index) * (WIDTH + GAP);
        return <rect key={index} class={level(value)} x={x} y={HEIGHT - height} width={WIDTH} height={height} rx={1} />;
      })}
    </svg>
  );
}
