/** Keys that work everywhere outside of text fields: single ones, and two in a row such as `g t`. */
import { useEffect, useRef } from "preact/hooks";

interface Binding {
  readonly keys: string;
  run(): void;
}

/** The last one that was added wins: a dialog or a conversation is above the page. */
const bindings: Binding[] = [];
const PAUSE_MS = 1000;
let before: { readonly key: string; readonly at: number } | undefined;

/** While the component is shown. `undefined` leaves the key to others. */
export function useKey(keys: string, run: (() => void) | undefined): void {
  const latest = useRef(run);
  latest.current = run;
  const wanted = run !== undefined;
  useEffect(() => {
    if (!wanted) return;
    const binding = { keys, run: () => latest.current?.() };
    bindings.push(binding);
    return () => {
      bindings.splice(bindings.indexOf(binding), 1);
    };
  }, [keys, wanted]);
}

export function watchKeys(): void {
  addEventListener("keydown", (event) => {
    const name = nameOf(event);
    if (name === undefined) return;
    const pair = before && event.timeStamp - before.at < PAUSE_MS ? `${before.key} ${name}` : undefined;
    before = { key: name, at: event.timeStamp };
    const binding = found(pair) ?? found(name);
    if (!binding) return;
    before = undefined;
    event.preventDefault();
    binding.run();
  });
}

function found(keys: string | undefined): Binding | undefined {
  return keys === undefined ? undefined : bindings.findLast((binding) => binding.keys === keys);
}

/** `undefined` for keys that belong to a text field, an open dialog or the browser. */
function nameOf(event: KeyboardEvent): string | undefined {
  if (event.defaultPrevented || event.isComposing || event.altKey) return undefined;
  const withModifier = event.ctrlKey || event.metaKey;
  if (withModifier) return event.key.toLowerCase() === "k" ? "mod-k" : undefined;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("input, textarea, select, [contenteditable], dialog[open], [role=menu]"))
    return undefined;
  return event.key;
}
