/** The ledger as a stacked bar. Its legend carries the same numbers as text. */
import type { JSX } from "preact";
import type { ContextView } from "../../../../src/gateway/wire/rest.ts";
import { exactCount, shortCount } from "../../ui/values/count.tsx";
import { ledgerBar } from "./ledger-bar.ts";

export function ContextBar({ view }: { readonly view: ContextView }): JSX.Element {
  const { segments, limit, sent } = ledgerBar(view);
  const { maxTokens } = view;
  return (
    <div class="context-bar">
      <p title={`${exactCount(sent)} of ${exactCount(maxTokens)} tokens`}>
        <strong class="number">{shortCount(sent)}</strong> of{" "}
        <span class="number">{shortCount(maxTokens)}</span> tokens would be sent
      </p>
      <svg viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">
        {segments.map(({ name, start, width }) => (
          <rect key={name} class={`part-${name}`} x={start} y={0} width={width} height={16} />
        ))}
        {limit < 1000 && <line class="window-end" x1={limit} x2={limit} y1={0} y2={16} />}
      </svg>
      <ul class="context-legend">
        {segments.map(({ name, tokens }) => (
          <li key={name} title={`${exactCount(tokens)} tokens`}>
            <span class={`swatch part-${name}`} aria-hidden="true" />
            {name} <span class="number quiet">{shortCount(tokens)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
