/** Short words at the bottom about what was done, with a way back. */
import type { JSX } from "preact";
import { messageOf } from "../api/api.ts";
import { Cell, useCell } from "../state/cell.ts";
import { Button, IconButton } from "./button.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  /** The id of what it is about. */
  readonly about: string | null;
  undo?(): unknown;
}

const SECONDS = 10;
const toasts = new Cell<readonly Toast[]>([]);
let last = 0;

export interface ToastOptions {
  readonly about?: string;
  undo?(): unknown;
}

export function showToast(text: string, { about, undo }: ToastOptions = {}): void {
  last += 1;
  const id = last;
  toasts.update((shown) => [
    ...shown.filter((one) => one.text !== text).slice(-2),
    { id, text, about: about ?? null, ...(undo && { undo }) },
  ]);
  setTimeout(() => hide(id), SECONDS * 1000);
}

/** For what went wrong after it was shown as done. */
export function showProblem(what: string, error: unknown): void {
  showToast(`${what}: ${messageOf(error)}`);
}

/** What they say is not true any more. */
export function hideToastsAbout(about: string): void {
  toasts.update((shown) => shown.filter((toast) => toast.about !== about));
}

function hide(id: number): void {
  toasts.update((shown) => shown.filter((toast) => toast.id !== id));
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status">
      {useCell(toasts).map(({ id, text, undo }) => (
        <div class="toast" key={id}>
          <span class="grow">{text}</span>
          {undo && (
            <Button
              small
              onClick={() => {
                hide(id);
                undo();
              }}
            >
              Undo
            </Button>
          )}
          <IconButton small icon="close" name="Dismiss" onClick={() => hide(id)} />
        </div>
      ))}
    </div>
  );
}
