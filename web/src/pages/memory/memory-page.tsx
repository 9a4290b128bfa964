/** Memory: what agents recall beyond the conversation at hand. Search it, add to it, forget. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { MemoryItem } from "../../../../src/gateway/wire/rest.ts";
import { isAdmin, mayWrite } from "../../api/session.ts";
import { useLoad } from "../../state/use-load.ts";
import { usePages } from "../../state/use-pages.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { FilterBar } from "../../ui/list/filter-bar.tsx";
import { Empty, Loaded } from "../../ui/list/states.tsx";
import { PageFrame } from "../../ui/page/page-frame.tsx";
import { AddNote } from "./add-note.tsx";
import { memoryApi } from "./memory-api.ts";
import { MemoryList } from "./memory-list.tsx";
import { isUnnamed, sourceName } from "./source-name.ts";
import "../pages.css";
import "./memory.css";

/** After the last key. */
const PAUSE_MS = 120;

export function MemoryPage(): JSX.Element {
  const [typed, setTyped] = useState("");
  const [q, setQ] = useState("");
  const [source, setSource] = useState("");
  const [adding, setAdding] = useState(false);
  const [forgetting, setForgetting] = useState<MemoryItem | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = usePages(JSON.stringify([q, source]), (cursor, signal) =>
    memoryApi.list({ q, source, cursor }, signal),
  );
  const sources = useLoad("sources", memoryApi.sources);
  const named = (sources.value?.items ?? []).filter((item) => !isUnnamed(item.source));
  const reload = (): void => {
    found.reload();
    sources.reload();
  };
  const actions = mayWrite() && (
    <Button icon="plus" onClick={() => setAdding(true)}>
      Add a note
    </Button>
  );
  return (
    <PageFrame title="Memory" actions={actions}>
      <p class="lead">Notes, indexed files and summaries of conversations that agents can recall.</p>
      <FilterBar
        search="Search the memory"
        text={typed}
        onText={setTyped}
        choice="Source"
        chosen={source}
        options={[
          ["", "All sources"],
          ...named.map(({ source: name, chunks }) => [name, `${name} (${chunks})`] as const),
        ]}
        onChoose={setSource}
      />
      <Loaded load={found} what="The memory could not be read">
        {(items) =>
          items.length === 0 ? (
            <Nothing searched={q !== "" || source !== ""} />
          ) : (
            <MemoryList items={items} pages={found} {...(isAdmin() && { onForget: setForgetting })} />
          )
        }
      </Loaded>
      {adding && <AddNote onAdded={reload} onClose={() => setAdding(false)} />}
      {forgetting !== null && (
        <Confirm
          title="Forget this"
          verb="Forget for good"
          run={async () => {
            await memoryApi.forget(forgetting.id);
            reload();
          }}
          onClose={() => setForgetting(null)}
        >
          <p class="quiet">{sourceName(forgetting.source)}</p>
          <blockquote class="memory-quote">{forgetting.text}</blockquote>
          <p>Agents no longer recall it. The file or conversation that it comes from does not change.</p>
        </Confirm>
      )}
    </PageFrame>
  );
}

function Nothing({ searched }: { readonly searched: boolean }): JSX.Element {
  if (searched)
    return (
      <Empty title="Nothing found">
        <p>Try fewer or other words.</p>
      </Empty>
    );
  return (
    <Empty title="Nothing is remembered yet">
      <p>
        Add a note, or index Markdown files with <code>colloquy memory index</code>.
      </p>
    </Empty>
  );
}
