import { useMemo } from "preact/hooks";
import { useCell } from "../state/cell.ts";
import type { Chat } from "./chat.ts";

/** By entry. Details are read often: as long as the labels are the same, so is the map. */
export function useLabels(chat: Chat): ReadonlyMap<string, string> {
  const labels = useCell(chat.details)?.labels ?? [];
  return useMemo(() => new Map(labels.map(({ entry, label }) => [entry, label])), [JSON.stringify(labels)]);
}
