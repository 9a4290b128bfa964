import { timeOf } from "../../../util/time.ts";
import type { ConversationInfo, ListQuery } from "../../queries.ts";
import { type ConversationLookup, notFound } from "../../rules.ts";
import { type Row, toInfo } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** What is known of conversations without reading their entries. */
export class Infos implements ConversationLookup {
  readonly #sql: Statements;
  readonly #damaged: (problem: string) => void;

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

  list({ trash, limit, after }: ListQuery): ConversationInfo[] {
    const { list, listAfter, listTrash, listTrashAfter } = this.#sql;
    const rows =
      after === undefined
        ? (trash ? listTrash : list).all(limit)
        : (trash ? listTrashAfter : listAfter).all(timeOf(after.at), after.id, limit);
    return rows.map((row) => this.#toInfo(row));
  }

  #from(row: unknown): ConversationInfo | undefined {
    return row === undefined ? undefined : this.#toInfo(row as Row);
  }

  #toInfo(row: Row): ConversationInfo {
    return toInfo(row, (problem) => this.#damaged(`Conversation ${row[0]}: ${problem}`));
  }
}
