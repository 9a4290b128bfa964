/** When tokens and sign-ins were last used, for people who look at them. Written once a minute, and may be lost. */
import type { Records } from "./records/records.ts";

const FLUSH_MS = 60_000;

export class LastUsed {
  readonly #records: Records;
  readonly #used = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(records: Records) {
    this.#records = records;
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS).unref();
  }

  note(tokenId: string, nowMs: number): void {
    this.#used.set(tokenId, nowMs);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#flush();
  }

  #flush(): void {
    if (this.#used.size === 0) return;
    const used = [...this.#used];
    this.#used.clear();
    try {
      this.#records.writeLazily(() => {
        for (const table of ["tokens", "sign_ins"]) {
          const sql = `UPDATE ${table} SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?`;
          for (const [id, at] of used) this.#records.run(sql, at, id);
        }
      });
    } catch {
      // The next request notes it again.
    }
  }
}
