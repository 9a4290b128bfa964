/** One page of a list. */
export interface Page<T> {
  readonly items: T[];
  /** Pass it as `cursor` to continue in the same direction. `null` at the end. */
  readonly cursor: string | null;
}

/**
 * A list that can be awaited for a page or iterated for everything:
 *
 * ```ts
 * const { items, cursor } = await chat.messages({ last: 50 });
 * for await (const { message } of chat.messages()) console.log(message.content);
 * ```
 */
export interface Listing<T> extends Promise<Page<T>>, AsyncIterable<T> {}

export function listing<T>(
  first: Promise<Page<T>>,
  readAll: () => AsyncGenerator<T, void, undefined>,
): Listing<T> {
  // An iteration that does not need this page must not be ended by its failure.
  first.catch(() => {});
  return Object.assign(first, { [Symbol.asyncIterator]: readAll });
}
