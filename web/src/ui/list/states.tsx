/** What a list shows instead of rows, or after the last one. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../api/api.ts";
import type { Load } from "../../state/use-load.ts";
import { Button } from "../button.tsx";

const PATIENCE_MS = 150;

export interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Empty({ title, children }: EmptyProps): JSX.Element {
  return (
    <div class="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Only after a while: what is quick should not flicker. */
export function Skeleton({ lines = 9 }: { readonly lines?: number }): JSX.Element | null {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!late) return null;
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

export interface FailureProps {
  /** What could not be done: `Conversations could not be read`. */
  readonly what: string;
  readonly error: unknown;
  readonly onRetry?: () => void;
}

export function Failure({ what, error, onRetry }: FailureProps): JSX.Element {
  return (
    <div class="state" role="alert">
      <h2>{what}</h2>
      <p>{messageOf(error)}</p>
      {onRetry && (
        <Button icon="again" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function End({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <div class="state end">{children}</div>;
}

export interface LoadedProps<T> {
  readonly load: Load<T>;
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** The value once it is there; until then a skeleton, or what went wrong. */
export function Loaded<T>({ load, what, children }: LoadedProps<T>): JSX.Element {
  if (load.value !== undefined) return <>{children(load.value)}</>;
  if (load.error !== undefined) return <Failure what={what} error={load.error} onRetry={load.reload} />;
  return <Skeleton />;
}
