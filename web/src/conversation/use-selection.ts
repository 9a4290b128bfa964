/** The message that the keys act on: the one with the focus. */
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { MessageEntry } from "../../../src/message/types.ts";
import { useKey } from "../app/keys.ts";
import { focusRow } from "../ui/list/focus-row.ts";
import type { VirtualRows } from "../ui/list/use-virtual.ts";
import type { Item } from "./items.ts";
import type { MessageActions } from "./message/message.tsx";

export interface Selection {
  /** The entry whose other version is being written. */
  readonly editing: string | null;
  setEditing(entry: string | null): void;
}

export function useSelection(
  scroller: RefObject<HTMLElement | null>,
  items: readonly Item[],
  virtual: VirtualRows,
  actions: MessageActions,
): Selection {
  const [editing, setEditing] = useState<string | null>(null);
  const selected = (): MessageEntry | undefined => {
    const id = document.activeElement?.closest<HTMLElement>("[data-entry]")?.dataset.entry;
    const item = items.find((one) => one.kind === "message" && one.key === id);
    return item?.kind === "message" ? item.entry : undefined;
  };
  const move = (by: 1 | -1): void => {
    const messages = items.flatMap((item, index) => (item.kind === "message" ? [{ item, index }] : []));
    const current = selected()?.id;
    const at = messages.findIndex(({ item }) => item.key === current);
    const top = scroller.current ? virtual.getVirtualItemForOffset(scroller.current.scrollTop)?.index : 0;
    const next = at < 0 ? messages.find(({ index }) => index >= (top ?? 0)) : messages[at + by];
    if (!next) return;
    virtual.scrollToIndex(next.index, { align: "auto" });
    if (scroller.current) focusRow(scroller.current, `[data-entry="${CSS.escape(next.item.key)}"]`);
  };
  const open = (): void => {
    const article = document.activeElement?.closest("[data-entry]");
    for (const line of article?.querySelectorAll<HTMLElement>(".fold-line") ?? []) line.click();
  };
  useKey("j", () => move(1));
  useKey("k", () => move(-1));
  useKey("o", open);
  useKey("e", () => {
    const entry = selected();
    if (entry?.message.role === "user") setEditing(entry.id);
  });
  useKey("b", () => {
    const entry = selected();
    if (entry) actions.branch(entry);
  });
  return { editing, setEditing };
}
