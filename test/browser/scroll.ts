/** Scrolls a list of which only the rows in view exist, frame by frame, and looks for gaps. */
import type { Page } from "playwright-core";
import { runInPage } from "./scene.ts";

const LISTS = {
  conversations: { list: ".side .fixed-list", row: ".row", id: "data-id" },
  messages: { list: ".messages", row: ".item", id: "data-entry" },
} as const;

interface Scrolled {
  /** How often a point of the list had no row. */
  readonly blank: number;
  /** How many different rows were seen. */
  readonly seen: number;
  /** How many rows exist at the end. */
  readonly elements: number;
}

export function scroll(
  page: Page,
  list: keyof typeof LISTS,
  { step, frames }: { readonly step: number; readonly frames: number },
): Promise<Scrolled> {
  return runInPage(page, "scroll", { ...LISTS[list], step, frames });
}
