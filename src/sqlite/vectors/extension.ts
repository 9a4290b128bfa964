import type { DatabaseSync } from "node:sqlite";
import { optionalPackage } from "../../util/optional-package.ts";

/** Whether the functions of sqlite-vec can be used, and if not, why. */
export type VectorFunctions =
  | { readonly isLoaded: true }
  | { readonly isLoaded: false; readonly reason: string };

/**
 * Load sqlite-vec into a database that was opened with `extensions`.
 *
 * It is an extension in machine code, which is not made for every platform, and
 * not every build of Node can load one. Everything works without it, slower.
 */
export async function loadVectorFunctions(database: DatabaseSync): Promise<VectorFunctions> {
  try {
    const load = () => import("sqlite-vec");
    const { getLoadablePath } = await optionalPackage("sqlite-vec", "A fast search of vectors", load);
    database.loadExtension(getLoadablePath());
    return { isLoaded: true };
  } catch (error) {
    return { isLoaded: false, reason: (error as Error).message };
  } finally {
    forbidExtensions(database);
  }
}

/** Nothing else is ever loaded. */
function forbidExtensions(database: DatabaseSync): void {
  try {
    database.enableLoadExtension(false);
  } catch {
    // It was never allowed.
  }
}
