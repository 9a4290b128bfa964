import type { BranchView } from "../../../../src/gateway/wire/rest.ts";

export interface FlattenPreview {
  /** The checked-out branch, which becomes `main`. */
  readonly from: string;
  /** What the branch `main` of today is called afterwards. */
  readonly former: string;
  /** By how many levels the path gets shallower. */
  readonly levels: number;
}

/** `null` if there is nothing to flatten: `main` is checked out. */
export function flattenPreview(branches: readonly BranchView[]): FlattenPreview | null {
  const active = branches.find((branch) => branch.active);
  if (active === undefined || active.name === "main") return null;
  const names = new Set(branches.map(({ name }) => name));
  let former = "former-main";
  for (let n = 2; names.has(former); n++) former = `former-main-${n}`;
  return { from: active.name, former, levels: active.depth - 1 };
}
