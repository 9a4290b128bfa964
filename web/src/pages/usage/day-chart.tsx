/** Bars by day. For eyes only: the table behind it has the same numbers for everybody else. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { chartOf } from "./chart.ts";
import type { Measure } from "./measures.ts";

/** Days are those of the gateway: dates without a zone. */
const dayFormat = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const dayName = (day: string): string => dayFormat.format(Date.parse(day));

const HEIGHT = 160;
const LABELS_BELOW = 24;
const LABELS_LEFT = 48;
/** What the name of a day needs. */
const LABEL_ROOM = 44;

export interface DayChartProps {
  readonly days: readonly { readonly day: string; readonly value: number }[];
  readonly measure: Measure;
}

export function DayChart({ days, measure }: DayChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box) - LABELS_LEFT;
  const { bars, ticks, labelEvery } = chartOf(days, { width: Math.max(1, width), height: HEIGHT });
  const sum = measure.exact(days.reduce((total, { value }) => total + value, 0));
  return (
    <div class="day-chart" ref={box}>
      <svg
        role="img"
        aria-label={`${measure.label} by day: ${sum} in ${days.length} days. The table below has the numbers.`}
        width={width + LABELS_LEFT}
        height={HEIGHT + LABELS_BELOW + 8}
      >
        <g transform={`translate(${LABELS_LEFT} 8)`}>
          {ticks.map(({ value, y }) => (
            <g key={value}>
              <line class="chart-rule" x1={0} x2={width} y1={y} y2={y} />
              <text class="chart-label" x={-8} y={y + 4} text-anchor="end">
                {measure.short(value)}
              </text>
            </g>
          ))}
          {bars.map(({ day, value, x, y, width: barWidth, height }, index) => (
            <g key={day} class="chart-day">
              <title>{`${dayName(day)}: ${measure.exact(value)}`}</title>
              <rect class="chart-hit" x={x} y={0} width={barWidth} height={HEIGHT} />
              <rect class="chart-bar" x={x} y={y} width={barWidth} height={height} />
              {index % labelEvery === 0 && x + LABEL_ROOM <= width && (
                <text class="chart-label" x={x} y={HEIGHT + 18}>
                  {dayName(day)}
                </text>
              )}
            </g>
          ))}
        </g>
      </svg>
    </div>
  );
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => setWidth(element.clientWidth);
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [box]);
  return width;
}
