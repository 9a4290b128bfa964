import type { Keeper } from "./records.ts";

/** When tokens and sign-ins were used, by their ids. */
export function noteUsed({ records }: Keeper, used: readonly (readonly [id: string, atMs: number])[]): void {
  records.writeLazily(() => {
    for (const table of ["tokens", "sign_ins"]) {
      const sql = `UPDATE ${table} SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?`;
      for (const [id, at] of used) records.run(sql, at, id);
    }
  });
}
