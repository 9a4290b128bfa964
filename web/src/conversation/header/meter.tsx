import type { JSX } from "preact";
import { exactCount, shortCount } from "../../ui/values/count.tsx";

export interface MeterProps {
  readonly used: number | null;
  readonly of: number | null;
  onClick(): void;
}

/** How much of the model's window the conversation takes. */
export function Meter({ used, of, onClick }: MeterProps): JSX.Element | null {
  if (used === null || of === null) return null;
  const part = Math.min(1, used / of);
  return (
    <button
      type="button"
      class="meter-button"
      title={`${exactCount(used)} of ${exactCount(of)} tokens`}
      onClick={onClick}
    >
      <span class="meter" data-level={part > 0.9 ? "full" : part > 0.75 ? "high" : "low"}>
        <span style={{ width: `${Math.max(2, part * 100)}%` }} />
      </span>
      <span class="small quiet number">
        {shortCount(used)} / {shortCount(of)}
        <span class="unseen"> tokens of the context</span>
      </span>
    </button>
  );
}
