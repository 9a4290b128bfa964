/** The left column: search, filters, conversations. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useKey } from "../app/keys.ts";
import { conversationLink, go, place } from "../app/router.ts";
import { useCell } from "../state/cell.ts";
import { Icon } from "../ui/icon.tsx";
import { Chips } from "./chips.tsx";
import { Conversations, shownList } from "./conversations.ts";
import { filters, query } from "./filters.ts";
import { RowMenu } from "./row-menu.tsx";
import { ConversationRows } from "./rows.tsx";
import { SearchResults } from "./search-results.tsx";
import { SideFoot } from "./side-foot.tsx";

export function Side(): JSX.Element {
  const set = useCell(filters);
  const text = useCell(query).trim();
  const current = useCell(place);
  const list = useMemo(() => new Conversations(set), [set]);
  useEffect(() => {
    shownList.set(list);
    return () => list.close();
  }, [list]);
  const state = useCell(list.state);
  const openId = current.view === "conversation" ? current.id : null;
  const move = (by: number): void => {
    const index = state.items.findIndex(({ id }) => id === openId);
    const next = state.items[index < 0 ? 0 : index + by];
    if (next) go(conversationLink(next.id));
  };
  useKey("J", () => move(1));
  useKey("K", () => move(-1));
  return (
    <nav class="side" aria-label="Conversations" onKeyDown={moveRow}>
      <div class="side-head">
        <SearchField />
        <a class="button plain icon" href="#/new" aria-label="New conversation" title="New conversation (n)">
          <Icon name="plus" />
        </a>
      </div>
      <Chips loaded={state.items} />
      {text ? (
        <SearchResults text={text} filters={set} loaded={state.items} openId={openId} />
      ) : (
        <ConversationRows list={list} openId={openId} />
      )}
      <SideFoot />
      <RowMenu />
    </nav>
  );
}

function SearchField(): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const text = useCell(query);
  const focus = (): void => field.current?.select();
  useKey("/", focus);
  useKey("mod-k", focus);
  return (
    <search class="search-field">
      <Icon name="search" />
      <input
        ref={field}
        class="field"
        type="search"
        aria-label="Search conversations and messages"
        placeholder="Search"
        title="Search (/ or Ctrl-K)"
        value={text}
        onInput={(event) => query.set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            query.set("");
            event.currentTarget.blur();
          }
        }}
      />
      {!text && <kbd>/</kbd>}
    </search>
  );
}

/** Arrows move through the rows, from the field and back to it. */
function moveRow(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(".search-field input, .row")];
  const from = stops.indexOf(event.target as HTMLElement);
  if (step === undefined || from < 0) return;
  event.preventDefault();
  stops[from + step]?.focus();
}
