/** Usage: messages, tokens and cost by day, model and channel. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLoad } from "../../state/use-load.ts";
import { Empty, Loaded } from "../../ui/list/states.tsx";
import { PageFrame } from "../../ui/page/page-frame.tsx";
import { readUsage } from "./usage-api.ts";
import { UsageFigures } from "./usage-figures.tsx";
import "../pages.css";
import "./usage.css";

const SPANS = [7, 30, 90, 365];

export function UsagePage(): JSX.Element {
  const [days, setDays] = useState(30);
  const usage = useLoad(String(days), (signal) => readUsage(days, signal));
  const span = (
    <select
      class="field"
      aria-label="Time"
      value={days}
      onChange={(event) => setDays(Number(event.currentTarget.value))}
    >
      {SPANS.map((option) => (
        <option key={option} value={option}>
          Last {option} days
        </option>
      ))}
    </select>
  );
  return (
    <PageFrame title="Usage" actions={span}>
      <p class="lead">Counted from the messages in the store, with the figures that providers reported.</p>
      <Loaded load={usage} what="The usage could not be read">
        {(view) =>
          view.total.messages === 0 ? (
            <Empty title="No messages in these days" />
          ) : (
            <UsageFigures view={view} />
          )
        }
      </Loaded>
    </PageFrame>
  );
}
