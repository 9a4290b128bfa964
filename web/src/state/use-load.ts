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
    setState((old) => (old.key === key ? { ...old, error: undefined, loading: true } : { key, ...BLANK }));
    read(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setState({ key, value, error: undefined, loading: false });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState((old) => ({ ...old, key, error, loading: false }));
      },
    );
    return () => abort.abort();
  }, [key, times]);
  const reload = useCallback(() => setTimes((count) => count + 1), []);
  const set = useCallback(
    (value: T) => setState((old) => ({ ...old, value, error: undefined, loading: false })),
    [],
  );
  const current = state.key === wanted ? state : { key: wanted, ...BLANK };
  return { value: current.value, error: current.error, loading: current.loading, reload, set };
}

const BLANK = { value: undefined, error: undefined, loading: true } as const;
