/** Something that is read from the gateway, with its states. */
import { useCallback, useLayoutEffect, useState } from "preact/hooks";

export interface Load<T> {
  /** What was read last; stays while it is read again. */
  readonly value: T | undefined;
  readonly error: unknown;
  readonly loading: boolean;
  /** Read it again. */
  reload(): void;
  /** Show something else until it is read again. */
  set(value: T): void;
}

interface State<T> {
  readonly key: string;
  readonly value: T | undefined;
  readonly error: unknown;
  readonly loading: boolean;
}

/** `key` names what is read: when it changes, the old value is forgotten. `null` reads nothing. */
export function useLoad<T>(key: string | null, read: (signal: AbortSignal) => Promise<T>): Load<T> {
  const wanted = key ?? "";
  const [state, setState] = useState<State<T>>({ key: wanted, ...BLANK });
  const [times, setTimes] = useState(0);
  // Not after the next frame: a search would begin that much later with every key.
  useLayoutEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    // What is kept under another key is not shown: that changes with what is read.
    setState((old) =>
      old.key !== key || (old.loading && old.error === undefined)
        ? old
        : { ...old, error: undefined, loading: true },
    );
    read(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setState({ key, value, error: undefined, loading: false });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setState((old) => ({ key, value: old.key === key ? old.value : undefined, error, loading: false }));
      },
    );
    return () => abort.abort();
  }, [key, times]);
  const reload = useCallback(() => setTimes((count) => count + 1), []);
  const set = useCallback(
    (value: T) => setState({ key: wanted, value, error: undefined, loading: false }),
    [wanted],
  );
  const current = state.key === wanted ? state : { key: wanted, ...BLANK };
  return { value: current.value, error: current.error, loading: current.loading, reload, set };
}

const BLANK = { value: undefined, error: undefined, loading: true } as const;
