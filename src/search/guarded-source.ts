import type { SearchSource } from "./source.ts";

/** The store failed, not its index. */
export class SourceError extends Error {
  override readonly name = "SourceError";

  constructor(cause: unknown) {
    super("The store cannot be read", { cause });
  }
}

/** A source whose failures are told from those of the index, which is replaced when it is damaged. */
export function guardedSource(source: SearchSource): SearchSource {
  return {
    changes: (after, limit) => guard(source.changes(after, limit)),
    info: (id) => guard(source.info(id)),
    conversations: () => guardAll(source.conversations()),
    entriesAfter: (conversation, seq) => guard(source.entriesAfter(conversation, seq)),
    fill: (entry) => guard(source.fill(entry)),
  };
}

async function guard<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new SourceError(error);
  }
}

async function* guardAll<T>(all: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  const pages = all[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await guard(Promise.resolve(pages.next()));
    if (done) return;
    yield value;
  }
}
