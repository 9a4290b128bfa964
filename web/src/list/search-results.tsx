/** Below the field while something is typed: conversations by title, then messages from the index. */
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type {
  ConversationSummary,
  ListOf,
  SearchHitView,
  SearchResult,
} from "../../../src/gateway/wire/rest.ts";
import { api } from "../api/api.ts";
import { conversationLink } from "../app/router.ts";
import { useLoad } from "../state/use-load.ts";
import { Empty, End, Failure, Skeleton } from "../ui/list/states.tsx";
import { plural } from "../ui/values/plural.ts";
import { RelativeTime } from "../ui/values/time.tsx";
import { isOffline } from "./chips.tsx";
import { type Filters, sinceOf } from "./filters.ts";
import { markedWords } from "./plain-words.ts";
import { Row } from "./row.tsx";
import { titleOf } from "./title.ts";

const TITLES_MAX = 8;
const HITS_MAX = 20;

export interface SearchResultsProps {
  readonly text: string;
  readonly filters: Filters;
  /** Those that are loaded: their titles are searched at once. */
  readonly loaded: readonly ConversationSummary[];
  readonly openId: string | null;
}

export function SearchResults({ text, filters, loaded, openId }: SearchResultsProps): JSX.Element {
  const { channel, model, days, branch } = filters;
  const asked = {
    q: text,
    channel,
    model,
    after: sinceOf(days),
    ...(branch === "active" && { branch: "active" }),
  };
  const load = useLoad(JSON.stringify(asked), (signal) =>
    api<SearchResult>("GET", "search", { query: { ...asked, limit: HITS_MAX }, signal }),
  );
  const result = useLatest(load.value);
  const further = useLoad(`titles ${JSON.stringify(asked)}`, (signal) =>
    api<ListOf<ConversationSummary>>("GET", "conversations", {
      query: { title: text, words: true, limit: TITLES_MAX, channel, model, after: sinceOf(days) },
      signal,
    }),
  );
  const wanted = text.toLowerCase();
  const here = loaded.filter((item) => titleOf(item).toLowerCase().includes(wanted));
  const shown = new Set(here.map((item) => item.id));
  const elsewhere = (useLatest(further.value)?.items ?? []).filter((item) => !shown.has(item.id));
  const titles = [...here, ...elsewhere].slice(0, TITLES_MAX);
  const hits = useMemo(() => worthShowing(result?.items ?? []), [result]);
  // The same rows are not compared again with each key: only what was found changes them.
  const rows = useMemo(
    () => hits.map((hit, index) => <Hit key={`${hit.conversation}/${hit.entry ?? index}`} hit={hit} />),
    [hits],
  );
  return (
    <section class="results" aria-label="Search results">
      {titles.length > 0 && (
        <section aria-label="Conversations">
          <h2 class="results-heading">Conversations</h2>
          {titles.map((item) => (
            <Row key={item.id} item={item} isOpen={item.id === openId} />
          ))}
        </section>
      )}
      {load.error !== undefined && (
        <Failure what="The search failed" error={load.error} onRetry={load.reload} />
      )}
      {hits.length > 0 && (
        <section aria-label="Messages">
          <h2 class="results-heading">Messages</h2>
          {rows}
          <End>
            {load.value?.cursor
              ? `The ${HITS_MAX} best matches. Add words to narrow them down.`
              : "No more messages"}
          </End>
        </section>
      )}
      {load.loading && result === undefined && <Skeleton />}
      {load.value && hits.length === 0 && titles.length === 0 && (
        <Empty title="Nothing found">
          <p>No title and no message contains these words.</p>
        </Empty>
      )}
      {load.value && !load.value.indexed && <End>The index is being built: more may be found later</End>}
      <span class="unseen" role="status">
        {load.value
          ? `${plural(titles.length, "conversation")} and ${plural(hits.length, "message")} found`
          : ""}
      </span>
    </section>
  );
}

function Hit({ hit }: { readonly hit: SearchHitView }): JSX.Element {
  return (
    <a class="row" href={conversationLink(hit.conversation, hit.entry)}>
      <span class="row-line">
        <span class="row-title cut grow">{titleOf(hit)}</span>
        <span class="small quiet">
          <RelativeTime at={hit.at} />
        </span>
      </span>
      <span class="hit-words small quiet">
        {!hit.active && <span class="badge">{hit.branch}</span>} <Snippet hit={hit} />
      </span>
    </a>
  );
}

/** The words that were found, marked. */
function Snippet({ hit: { snippet, highlights } }: { readonly hit: SearchHitView }): JSX.Element {
  return (
    <>
      {markedWords(snippet, highlights).map(({ text, isMarked }, index) =>
        isMarked ? <mark key={index}>{text}</mark> : text,
      )}
    </>
  );
}

/** Without answers of the offline model, which only repeat what is found beside them, unless there is nothing else. */
function worthShowing(hits: readonly SearchHitView[]): readonly SearchHitView[] {
  const others = hits.filter(({ model }) => model === null || !isOffline(model));
  return others.length > 0 ? others : hits;
}

/** While the next answer is on its way, the last one stays: a list that goes and comes with each key is unreadable. */
function useLatest<T>(value: T | undefined): T | undefined {
  const latest = useRef(value);
  if (value !== undefined) latest.current = value;
  return latest.current;
}
