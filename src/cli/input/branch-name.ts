import { ColloquyError } from "../../errors.ts";
import { checkLabel } from "../../message/validate.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { BranchInfo } from "../../store/index.ts";
import { closestWord } from "../../util/closest-word.ts";
import type { Call } from "../command.ts";

const NAMES_SHOWN = 5;

/** The value of `--branch`, checked before a store is opened. */
export function branchOption({ values }: Call): string | undefined {
  const name = values.get("branch");
  return name === undefined ? undefined : checkBranchName(name);
}

export function checkBranchName(name: string): string {
  return checkLabel(name, "branch");
}

/** The branch of that name, or the checked-out one. */
export async function branchOf(conversation: Conversation, name: string | undefined): Promise<BranchInfo> {
  const branches = await conversation.branches();
  const found = branches.find((branch) => (name === undefined ? branch.active : branch.name === name));
  if (found !== undefined) return found;
  throw noBranch(name ?? "main", branches);
}

function noBranch(name: string, branches: readonly BranchInfo[]): ColloquyError {
  const names = branches.map((branch) => branch.name);
  const hint = closestWord(name, names, { prefixes: true });
  const others = names.length - NAMES_SHOWN;
  const known = names.slice(0, NAMES_SHOWN).join(", ") + (others > 0 ? ` and ${others} more` : "");
  const help = hint === undefined ? `; existing branches: ${known}` : `; did you mean "${hint}"?`;
  return new ColloquyError("NOT_FOUND", `Branch "${name}" not found${help}`, { field: "branch" });
}
