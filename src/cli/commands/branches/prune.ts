import { invalid } from "../../../errors.ts";
import type { BranchInfo, PruneOptions } from "../../../store/index.ts";
import type { Call, Result } from "../../command.ts";
import { branchOf, checkBranchName } from "../../input/branch-name.ts";
import { givenNumber } from "../../input/integer.ts";
import { changeConversation } from "../../store/open-store.ts";
import { removedLines, removedTable } from "../../view/removed-view.ts";

export function run(call: Call): Promise<Result> {
  const options = optionsOf(call);
  return changeConversation(call, async (conversation) => {
    for (const name of options.names ?? []) checkNamed(await branchOf(conversation, name));
    const { dryRun, removed, bytes } = await conversation.pruneBranches(options);
    const json = { dryRun, removed, bytes };
    if (removed.length === 0) return { json, lines: ["No branches to prune."] };
    const table = removedTable(call.out, "branch", removed);
    return { json, lines: [...table, "", ...removedLines(call.out, dryRun, "branch", removed, bytes)] };
  });
}

function checkNamed({ name, active }: BranchInfo): void {
  if (name === "main") throw invalid("main cannot be pruned", "name");
  if (active) throw invalid(`${name} cannot be pruned while it is checked out`, "name");
}

function optionsOf(call: Call): PruneOptions {
  const olderThanDays = givenNumber(call, "older-than-days", 0);
  const keep = givenNumber(call, "keep", 0);
  const abandoned = call.flags.has("abandoned");
  const names = call.lists.get("name")?.map(checkBranchName);
  const dryRun = call.flags.has("dry-run");
  if (names !== undefined) return { names: [...new Set(names)], dryRun };
  if (olderThanDays === undefined && keep === undefined && !abandoned) {
    throw invalid(
      "Specify which branches: --older-than-days, --keep, --abandoned or --name. Nothing is removed by default",
      "options",
    );
  }
  return { olderThanDays, keep, abandoned, dryRun };
}
