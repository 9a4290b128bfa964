import { asColloquyError } from "../../errors.ts";
import type { RestoreReport } from "./backup.ts";

/**
 * Put a backup in the place of a store, checked before it counts.
 *
 * `target` is `sqlite:FILE` or `jsonl:FOLDER`. What is there is a `CONFLICT`,
 * unless `force` is set: then it is moved aside, never removed.
 */
export async function restoreBackup(
  backup: string,
  target: string,
  options: { readonly force?: boolean } = {},
): Promise<RestoreReport> {
  // Loaded when it is needed: hardly any program that opens a store restores one.
  const { restoreFrom } = await import("./backup.ts");
  try {
    return await restoreFrom(backup, target, options);
  } catch (error) {
    throw asColloquyError(error, "Cannot restore");
  }
}
