/** Where each conversation was left: the entry at the top of the window, and how far it is scrolled past. */
import type { Entry } from "../../../src/message/types.ts";

export interface Position {
  readonly entry: Entry["id"];
  readonly offset: number;
}

const NAME = "colloquy.positions";
const KEPT_MAX = 200;

function all(): Record<string, Position> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? "{}");
    return typeof stored === "object" && stored !== null ? (stored as Record<string, Position>) : {};
  } catch {
    return {};
  }
}

export function positionOf(conversation: string): Position | undefined {
  const known = all();
  return Object.hasOwn(known, conversation) ? known[conversation] : undefined;
}

/** `undefined`: at the end. */
export function keepPosition(conversation: string, position: Position | undefined): void {
  const { [conversation]: _, ...rest } = all();
  const kept = Object.entries(rest).slice(-KEPT_MAX);
  try {
    sessionStorage.setItem(
      NAME,
      JSON.stringify(Object.fromEntries(position ? [...kept, [conversation, position]] : kept)),
    );
  } catch {}
}
