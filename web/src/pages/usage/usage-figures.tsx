import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { UsageView } from "../../../../src/gateway/wire/rest.ts";
import { everyDay } from "./chart.ts";
import { DayChart } from "./day-chart.tsx";
import { MEASURE_NAMES, MEASURES, type MeasureName } from "./measures.ts";
import { UsageTable } from "./usage-table.tsx";

const PART = ", without the models whose price is not known";

/** What answers without a model costs nothing, which says nothing about the others. */
function isUnknown({ total, models }: UsageView): boolean {
  return total.cost === 0 && models.some(({ cost }) => cost === null);
}

/** The sums, one of them drawn by day, and the tables behind the chart. */
export function UsageFigures({ view }: { readonly view: UsageView }): JSX.Element {
  const [name, setName] = useState<MeasureName>("messages");
  const measure = MEASURES[name];
  const days = useMemo(
    () => everyDay(view.days, view.from, view.to, (row) => measure.of(row) ?? 0),
    [view, measure],
  );
  return (
    <>
      <div class="usage-sums" role="radiogroup" aria-label="What the chart shows">
        {MEASURE_NAMES.map((option) => {
          const { label, of, short, exact } = MEASURES[option];
          const sum = option === "cost" && isUnknown(view) ? null : of(view.total);
          const isPart = option === "cost" && sum !== null && view.models.some(({ cost }) => cost === null);
          return (
            <label
              key={option}
              class="usage-sum"
              title={sum === null ? "No price is known" : `${exact(sum)}${isPart ? PART : ""}`}
            >
              <input
                type="radio"
                name="measure"
                class="unseen"
                checked={option === name}
                onChange={() => setName(option)}
              />
              <span class="usage-label">{label}</span>
              <span class="usage-value">{sum === null ? "–" : `${isPart ? "≥ " : ""}${short(sum)}`}</span>
            </label>
          );
        })}
      </div>
      <DayChart days={days} measure={measure} />
      <UsageTable
        title="By model"
        head="Model"
        rows={view.models.map((row) => ({ ...row, name: row.model }))}
      />
      <UsageTable
        title="By channel"
        head="Channel"
        rows={view.channels.map((row) => ({ ...row, name: row.channel }))}
      />
      <details class="usage-days">
        <summary>By day, as a table</summary>
        <UsageTable
          title="By day"
          head="Day"
          rows={view.days.toReversed().map((row) => ({ ...row, name: row.day }))}
        />
      </details>
    </>
  );
}
