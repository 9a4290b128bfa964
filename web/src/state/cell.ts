/** A value that components can watch. */
import { useLayoutEffect, useReducer } from "preact/hooks";

export class Cell<T> {
  #value: T;
  readonly #watchers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const watcher of [...this.#watchers]) watcher();
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value));
  }

  /** Called after each change, until the returned function is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }
}

export function useCell<T>(cell: Cell<T>): T {
  const [, redraw] = useReducer((count: number, _: undefined) => count + 1, 0);
  const drawn = cell.value;
  useLayoutEffect(() => {
    const stop = cell.watch(() => redraw(undefined));
    // It may have changed between drawing and watching.
    if (!Object.is(drawn, cell.value)) redraw(undefined);
    return stop;
  }, [cell]);
  return drawn;
}
