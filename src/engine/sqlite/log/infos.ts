import { timeOf } from "../../../util/time.ts";
import type { ConversationInfo, Facets, ListFilter, ListQuery } from "../../queries.ts";
import { type ConversationLookup, facetsOf, notFound, passesFilter } from "../../rules.ts";
import { type Row, toInfo } from "../rows.ts";
import type { Statements } from "../statements.ts";
import { CheckedRows } from "./checked-rows.ts";

/** Later than every time of a conversation. */
const LATEST = 2 ** 53 - 2;
const IS_ASCII = /^[ -~]*$/;

/** What is known of conversations without reading their entries. */
export class Infos implements ConversationLookup {
  readonly #sql: Statements;
  readonly #damaged: (problem: string) => void;
  readonly #checked = new CheckedRows();

  constructor(sql: Statements, damaged: (problem: string) => void) {
    this.#sql = sql;
    this.#damaged = damaged;
  }

  byId(id: string): ConversationInfo | undefined {
    return this.#from(this.#sql.infoById.get(id));
  }

  byKey(key: string): ConversationInfo | undefined {
    return this.#from(this.#sql.infoByKey.get(key));
  }

  /** Even from the trash. */
  existing(id: string): ConversationInfo {
    const info = this.byId(id);
    if (info === undefined) throw notFound(id);
    return info;
  }

  live(id: string): ConversationInfo {
    const info = this.existing(id);
    if (info.deletedAt !== null) throw notFound(id);
    return info;
  }

  list({ trash, limit, after, filter }: ListQuery): ConversationInfo[] {
    if (filter !== undefined) return this.#filtered({ trash, limit, after }, filter);
    const { list, listAfter, listTrash, listTrashAfter } = this.#sql;
    const rows =
      after === undefined
        ? (trash ? listTrash : list).all(limit)
        : (trash ? listTrashAfter : listAfter).all(timeOf(after.at), after.id, limit);
    return rows.map((row) => this.#toInfo(row));
  }

  facets(): Facets {
    const rows = this.#sql.facets.all() as (string | null)[][];
    return facetsOf(rows.map(([channel = null, model = null]) => ({ channel, model })));
  }

  #filtered({ trash, limit, after }: ListQuery, filter: ListFilter): ConversationInfo[] {
    const { channel = null, model = null, forked, keyPrefix, activeFrom, activeBefore } = filter;
    const place = after === undefined ? LATEST : timeOf(after.at);
    const end = activeBefore === undefined ? LATEST : timeOf(activeBefore);
    const start = activeFrom === undefined ? 0 : timeOf(activeFrom);
    const branches = forked === true ? 2 : 0;
    const title = filter.title === undefined || IS_ASCII.test(filter.title) ? (filter.title ?? null) : "";
    const times = [place, after?.id ?? "", start, Math.min(end, place + 1)];
    const bounds = [...times, channel, model, branches, title];
    const { listFiltered, listByPrefix, listTrashFiltered } = this.#sql;
    const rows =
      trash || keyPrefix === undefined
        ? (trash ? listTrashFiltered : listFiltered).iterate(...bounds)
        : listByPrefix.iterate(...bounds, keyPrefix, `${keyPrefix}\u{10ffff}`);
    const found: ConversationInfo[] = [];
    for (const row of rows) {
      const info = this.#toInfo(row);
      if (passesFilter(info, filter)) found.push(info);
      if (found.length >= limit) break;
    }
    return found;
  }

  #from(row: unknown): ConversationInfo | undefined {
    return row === undefined ? undefined : this.#toInfo(row as Row);
  }

  #toInfo(row: Row): ConversationInfo {
    const damaged = (problem: string): void => this.#damaged(`Conversation ${row[0]}: ${problem}`);
    return toInfo(row, damaged, this.#checked.isAsWritten);
  }
}
