import type { JSX } from "preact";
import type { LedgerItem } from "../../../../src/gateway/wire/rest.ts";
import { conversationLink } from "../../app/router.ts";
import { exactCount, shortCount } from "../../ui/values/count.tsx";

export interface LedgerListProps {
  readonly conversation: string;
  readonly items: readonly LedgerItem[];
}

/** Every message, what became of it, and why. */
export function LedgerList({ conversation, items }: LedgerListProps): JSX.Element {
  if (items.length === 0) return <p class="quiet">No messages yet.</p>;
  return (
    <ul class="ledger">
      {items.map((item, index) => (
        <li key={`${item.entry}-${index}`} class="ledger-item">
          <span class={`swatch part-${PARTS[item.what]}`} aria-hidden="true" />
          <span class="cut" title={item.words}>
            {item.role !== null && <span class="quiet">{item.role}: </span>}
            {item.entry === null ? (
              item.words
            ) : (
              <a href={conversationLink(conversation, item.entry)}>{item.words}</a>
            )}
          </span>
          <span class="number quiet" title={`${exactCount(item.tokens)} tokens`}>
            {shortCount(item.tokens)}
          </span>
          <span class="ledger-reason quiet small">
            {item.what}
            {item.reason !== "" && ` · ${item.reason.charAt(0).toLowerCase()}${item.reason.slice(1)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The colour of each, as in the bar. */
const PARTS: Readonly<Record<LedgerItem["what"], string>> = {
  kept: "kept",
  cut: "cut",
  summarized: "summary",
  dropped: "dropped",
  repaired: "cut",
};
