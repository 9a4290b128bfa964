/** Something that a person does, one at a time. Its failure is shown where it was done. */
import { useRef, useState } from "preact/hooks";

export interface Action<Argument> {
  /** What it runs for; `null` while it does not run. */
  readonly running: { readonly argument: Argument } | null;
  readonly error: unknown;
  run(argument: Argument): void;
}

export function useAction<Argument = void>(act: (argument: Argument) => Promise<void>): Action<Argument> {
  const [running, setRunning] = useState<{ readonly argument: Argument } | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const busy = useRef(false);
  const run = async (argument: Argument): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    setRunning({ argument });
    setError(undefined);
    await act(argument).catch(setError);
    busy.current = false;
    setRunning(null);
  };
  return { running, error, run };
}
