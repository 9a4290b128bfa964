/** Colours for code. The highlighter, and each language, are loaded when the first such code is shown. */
import type { createLowlight, LanguageFn } from "lowlight";
import { ALIASES, LANGUAGES } from "./languages.ts";

type Lowlight = ReturnType<typeof createLowlight>;
export type Highlighted = ReturnType<Lowlight["highlight"]>;

/** Longer code stays plain: highlighting it would hold up the page. */
const LENGTH_MAX = 50_000;
const KEPT_MAX = 200;

let lowlight: Lowlight | undefined;
const loading = new Map<string, Promise<void>>();
const kept = new Map<string, Highlighted>();

/** If everything for it is loaded. */
export function highlightedNow(language: string | null, text: string): Highlighted | undefined {
  const name = nameOf(language);
  if (name === undefined || !lowlight?.registered(name) || text.length > LENGTH_MAX) return undefined;
  const key = `${name}\n${text}`;
  const known = kept.get(key);
  if (known) return known;
  const tree = lowlight.highlight(name, text);
  kept.set(key, tree);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return tree;
}

export async function highlight(language: string | null, text: string): Promise<Highlighted | undefined> {
  const name = nameOf(language);
  if (name === undefined || text.length > LENGTH_MAX) return undefined;
  const ready = loading.get(name) ?? load(name);
  loading.set(name, ready);
  try {
    await ready;
  } catch {
    // Colours are not worth an error. The next code tries again.
    loading.delete(name);
  }
  return highlightedNow(language, text);
}

async function load(name: string): Promise<void> {
  const [{ createLowlight }, grammar] = await Promise.all([import("./highlighter.ts"), LANGUAGES[name]?.()]);
  lowlight ??= createLowlight();
  if (grammar) lowlight.register(name, grammar.default as LanguageFn);
}

function nameOf(language: string | null): string | undefined {
  const lower = language?.toLowerCase() ?? "";
  const name = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : lower;
  return name !== undefined && Object.hasOwn(LANGUAGES, name) ? name : undefined;
}
