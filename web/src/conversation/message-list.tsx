/** The messages, of which only those near the window exist. Nothing that arrives moves what is read. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ToolState } from "../../../src/gateway/wire/frames.ts";
import { useKey } from "../app/keys.ts";
import { Cell, useCell } from "../state/cell.ts";
import { Button } from "../ui/button.tsx";
import { useVirtual } from "../ui/list/use-virtual.ts";
import type { Chat } from "./chat.ts";
import { ItemView } from "./item-view.tsx";
import { estimatedHeight, itemsOf } from "./items.ts";
import { RunningTools } from "./message/tool-call.tsx";
import { keepPosition, positionOf } from "./positions.ts";
import { rowsOf } from "./rows.ts";
import { useActions } from "./use-actions.ts";
import { useEndInView } from "./use-end-in-view.ts";
import { useLabels } from "./use-labels.ts";
import { useRoom } from "./use-room.ts";
import { useSelection } from "./use-selection.ts";

export interface MessageListProps {
  readonly chat: Chat;
  /** The target of a link. */
  readonly marked: string | null;
}

/** The next page is read when so few rows are left. */
const NEAR = 60;
/** Rows beyond the window in each direction. */
const SPARE = 24;
const AT_END = 32;
/** What happens now belongs to the branch that is checked out. */
const NOTHING_LIVE = { pending: [], running: null, failure: null } as const;
const NO_TOOLS: readonly ToolState[] = [];

export function MessageList({ chat, marked }: MessageListProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const state = useCell(chat.timeline.state);
  const branches = useCell(chat.branches);
  const labels = useLabels(chat);
  const pending = useCell(chat.pending);
  const running = useCell(chat.running);
  const failure = useCell(chat.failure);
  const rows = useMemo(() => rowsOf(state.entries, branches, labels), [state.entries, branches, labels]);
  const isElsewhere = useCell(chat.reading) !== null;
  const items = useMemo(
    () => itemsOf({ rows, state, ...(isElsewhere ? NOTHING_LIVE : { pending, running, failure }) }),
    [rows, state, pending, running, failure, isElsewhere],
  );
  /** Only a reader who went to the end wants to be taken along. */
  const isFollowing = useMemo(() => new Cell(true), [chat]);
  /** Where the list was scrolled to: what the reader moves differs from it. */
  const top = useRef(0);
  const [isFar, setFar] = useState(false);
  const virtual = useVirtual({
    count: items.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => items[index]?.key ?? index,
    estimateSize: (index) => estimatedHeight(items[index]),
    overscan: SPARE,
    anchorTo: "end",
    scrollEndThreshold: useCell(isFollowing) ? AT_END : -1,
  });
  const shown = virtual.getVirtualItems();

  useOpening(chat, marked, (entry, offset) => {
    const index = entry === null ? -1 : items.findIndex((item) => item.key === entry);
    if (index < 0) {
      virtual.scrollToEnd();
      if (entry !== null && entry === marked) void chat.readLinked(entry);
    } else {
      isFollowing.set(false);
      virtual.scrollToIndex(index, { align: offset === null ? "center" : "start" });
      if (offset) requestAnimationFrame(() => virtual.scrollBy(offset));
    }
  });

  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (state.entries.length === 0) return;
    if (first < NEAR) chat.timeline.before();
    if (last > items.length - NEAR) chat.timeline.after();
  }, [first, last, items.length, state.loading]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    top.current = element.scrollTop;
    const look = (): void => {
      const left = element.scrollHeight - element.clientHeight - element.scrollTop;
      const isAtEnd = left <= AT_END && !chat.timeline.state.value.hasAfter;
      if (isAtEnd && element.scrollTop > top.current) isFollowing.set(true);
      // With more room, the end of the list moves down: that is not the reader.
      else if (element.scrollTop < top.current - 1 && left > 1) isFollowing.set(false);
      top.current = element.scrollTop;
      const row = virtual.getVirtualItemForOffset(element.scrollTop);
      const entry = row && chat.timeline.state.value.entries.find(({ id }) => id === row.key);
      keepPosition(
        chat.id,
        isAtEnd || !entry || !row ? undefined : { entry: entry.id, offset: element.scrollTop - row.start },
      );
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, [chat]);
  useEndInView(scroller, isFollowing);

  const total = virtual.getTotalSize();
  const room = useRoom(scroller, useCell(chat.sent), items, virtual, (scrolledTo) => {
    isFollowing.set(false);
    // With the room below it, what was sent is at the end; but its reader did not go there.
    top.current = scrolledTo;
  });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const left = total - element.clientHeight - element.scrollTop;
    setFar(left > element.clientHeight / 2 || state.hasAfter);
  });

  const toLatest = async (): Promise<void> => {
    if (state.hasAfter) await chat.timeline.open("end");
    isFollowing.set(true);
    virtual.scrollToEnd();
  };
  const toStart = async (): Promise<void> => {
    isFollowing.set(false);
    if (state.hasBefore) await chat.timeline.open("start");
    virtual.scrollToOffset(0);
  };
  useKey("End", () => void toLatest());
  useKey("Home", () => void toStart());
  const actions = useActions(chat);
  const { editing, setEditing } = useSelection(scroller, items, virtual, actions);

  return (
    <>
      <div
        class="messages"
        ref={scroller}
        role="feed"
        aria-label="Messages"
        aria-busy={state.loading}
        tabIndex={-1}
      >
        <RunningTools.Provider value={running?.tools ?? NO_TOOLS}>
          <div class="messages-all" style={{ height: `${total}px` }}>
            <div class="messages-shown" style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}>
              {shown.map(({ index, key }) => {
                const item = items[index];
                return (
                  item && (
                    <div key={key} ref={virtual.measureElement} data-index={index} class="item">
                      <ItemView
                        chat={chat}
                        item={item}
                        isLast={index === items.length - 1}
                        marked={marked}
                        editing={editing}
                        onEdit={setEditing}
                        actions={actions}
                      />
                    </div>
                  )
                );
              })}
            </div>
          </div>
        </RunningTools.Provider>
        <div style={{ height: `${room}px` }} />
      </div>
      {isFar && (
        <div class="to-latest">
          <Button small icon="down" onClick={() => void toLatest()}>
            Jump to latest
          </Button>
        </div>
      )}
    </>
  );
}

/** Once, when the first entries are there: to the target of the link, where the reader was, or to the end. */
function useOpening(
  chat: Chat,
  marked: string | null,
  show: (entry: string | null, offset: number | null) => void,
): void {
  const { entries, loading } = useCell(chat.timeline.state);
  const wanted = useRef<{ entry: string | null; offset: number | null } | undefined>(undefined);
  useLayoutEffect(() => {
    const kept = marked === null ? positionOf(chat.id) : undefined;
    wanted.current = { entry: marked ?? kept?.entry ?? null, offset: kept?.offset ?? null };
    const isLoaded = entries.some(({ id }) => id === marked);
    if (!isLoaded || entries.length === 0) void chat.timeline.open(wanted.current.entry ?? "end");
  }, [chat, marked]);
  useLayoutEffect(() => {
    if (loading || !wanted.current) return;
    const { entry, offset } = wanted.current;
    wanted.current = undefined;
    show(entry, offset);
    // It may be on another branch, which is read then.
    if (entry !== null && !entries.some(({ id }) => id === entry)) wanted.current = { entry, offset };
  }, [loading, entries, marked]);
}
