import type { PageQuery } from "../../queries.ts";
import { isLostPlace, pageBytesOf, type Row } from "../rows.ts";

/** How the rows of a page become its items. */
export interface Shape<Item> {
  /** `undefined` when the row is damaged. */
  itemOf(row: Row): Item | undefined;
  /** The same item, marked: the entry that it follows cannot be read. */
  afterGap(item: Item): Item;
}

export interface Found<Item> {
  /** In ascending `seq`, whatever the direction. */
  readonly items: Item[];
  readonly more: boolean;
}

/** Collects rows in reading direction. A page may reach its byte limit long before its entry limit. */
export class PageBuilder<Item> {
  readonly query: PageQuery;
  readonly #shape: Shape<Item>;
  readonly #damaged: (problem: string) => void;
  readonly #items: Item[] = [];
  #bytes = 0;
  #isAfterGap = false;

  constructor(query: PageQuery, shape: Shape<Item>, damaged: (problem: string) => void) {
    this.query = query;
    this.#shape = shape;
    this.#damaged = damaged;
  }

  /** Whether the row belongs to the page. */
  add(row: Row): boolean {
    const { limit, bytesMax, kind, conversation, asStored } = this.query;
    if (!asStored && isLostPlace(row)) {
      this.#skip();
      return true;
    }
    if (kind !== undefined && row[3] !== kind) return true;
    // Before the limit: backwards, a damaged row marks the last entry of this page.
    const item = this.#shape.itemOf(row);
    if (item === undefined) {
      const what = "is damaged: it does not match its checksum, or is not JSON";
      this.#damaged(`Entry ${row[0]} of conversation ${conversation} ${what}`);
      this.#skip();
      return true;
    }
    const items = this.#items;
    this.#bytes += pageBytesOf(row);
    if (items.length >= limit || (items.length > 0 && this.#bytes > bytesMax)) return false;
    items.push(this.#isAfterGap ? this.#shape.afterGap(item) : item);
    this.#isAfterGap = false;
    return true;
  }

  #skip(): void {
    const isForward = this.query.direction === "forward";
    // Backwards, the entry after it came first.
    const after = isForward ? undefined : this.#items.pop();
    if (after !== undefined) this.#items.push(this.#shape.afterGap(after));
    this.#isAfterGap = isForward;
  }

  result(more: boolean): Found<Item> {
    const items = this.#items;
    return { items: this.query.direction === "forward" ? items : items.reverse(), more };
  }
}
