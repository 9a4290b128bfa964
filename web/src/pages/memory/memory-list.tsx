import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { MemoryItem } from "../../../../src/gateway/wire/rest.ts";
import type { Pages } from "../../state/use-pages.ts";
import { Button } from "../../ui/button.tsx";
import { ListEnd } from "../../ui/list/list-end.tsx";
import { plural } from "../../ui/values/plural.ts";
import { RelativeTime } from "../../ui/values/time.tsx";
import { sourceName } from "./source-name.ts";

export interface MemoryListProps {
  readonly items: readonly MemoryItem[];
  readonly pages: Pages<MemoryItem>;
  /** Left out for those who may only read. */
  readonly onForget?: (item: MemoryItem) => void;
}

export function MemoryList({ items, pages, onForget }: MemoryListProps): JSX.Element {
  return (
    <>
      <ul class="memory-list" aria-label="Remembered">
        {items.map((item) => (
          <MemoryEntry key={item.id} item={item} {...(onForget && { onForget: () => onForget(item) })} />
        ))}
      </ul>
      <ListEnd pages={pages} all={`${plural(items.length, "passage")}, that is all`} />
    </>
  );
}

/** Longer texts are cut, with a button that shows them whole. */
const CUT_AT = 480;

interface MemoryEntryProps {
  readonly item: MemoryItem;
  readonly onForget?: () => void;
}

function MemoryEntry({ item, onForget }: MemoryEntryProps): JSX.Element {
  const [whole, setWhole] = useState(false);
  const { source, lines, text, createdAt } = item;
  const isLong = text.length > CUT_AT;
  return (
    <li class="memory-entry">
      <header>
        <span class="cut grow small quiet" title={source}>
          {sourceName(source)}
          {lines !== null && `:${lines[0]}–${lines[1]}`}
        </span>
        {createdAt !== null && (
          <span class="small quiet">
            <RelativeTime at={createdAt} />
          </span>
        )}
        {onForget && (
          <Button small look="plain" onClick={onForget}>
            Forget…
          </Button>
        )}
      </header>
      <p class="memory-text">{isLong && !whole ? `${text.slice(0, CUT_AT)} …` : text}</p>
      {isLong && (
        <Button small look="plain" onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : "Show all of it"}
        </Button>
      )}
    </li>
  );
}
