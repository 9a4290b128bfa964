import type { BranchInfo } from "../../store/index.ts";
import { quoted, safeLine } from "../../util/visible-text.ts";
import type { Call } from "../command.ts";
import { nextCommand } from "../invocation.ts";

/** What to do about branches that are too deep. Only the checked-out one can be flattened. */
export function flattenAdvice(
  { values }: Call,
  reference: string,
  branches: readonly BranchInfo[],
): string[] {
  const deep = branches.filter(({ warning }) => warning !== null);
  const branch = deep.find(({ active }) => active) ?? deep[0];
  if (branch === undefined) return [];
  const name = quoted(safeLine(reference));
  const flatten = nextCommand(`sessions flatten ${name}`, values);
  if (branch.active) return [`To make the checked-out path the main branch: ${flatten}`];
  const words = `sessions checkout ${name} ${quoted(safeLine(branch.name))}`;
  return [
    "To make a deep path the main branch, check it out and flatten it:",
    `  ${nextCommand(words, values)}`,
    `  ${flatten}`,
  ];
}
