/** A list that is read page by page. */
import { useState } from "preact/hooks";
import type { ListOf } from "../../../src/gateway/wire/rest.ts";
import { useAction } from "./use-action.ts";
import { type Load, useLoad } from "./use-load.ts";

export interface Pages<T> extends Load<readonly T[]> {
  readonly hasMore: boolean;
  readonly readingMore: boolean;
  readonly moreError: unknown;
  readMore(): void;
}

export function usePages<T>(
  key: string,
  read: (cursor: string | null, signal?: AbortSignal) => Promise<ListOf<T>>,
): Pages<T> {
  const [cursor, setCursor] = useState<string | null>(null);
  const first = useLoad(key, async (signal) => {
    const page = await read(null, signal);
    if (!signal.aborted) setCursor(page.cursor);
    return page.items;
  });
  const more = useAction(async () => {
    const page = await read(cursor);
    setCursor(page.cursor);
    first.set([...(first.value ?? []), ...page.items]);
  });
  return {
    ...first,
    hasMore: cursor !== null,
    readingMore: more.running !== null,
    moreError: more.error,
    readMore: () => more.run(),
  };
}
