import { invalid } from "../../../errors.ts";
import type { BranchInfo, PruneOptions } from "../../../store/index.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE, UsageError } from "../../exit.ts";
import { branchOf, checkBranchName } from "../../input/branch-name.ts";
import { givenNumber } from "../../input/integer.ts";
import { checkReference } from "../../input/reference.ts";
import { conversationOf, openToChange } from "../../store/open-store.ts";
import { removedLines, removedTable } from "../../view/removed-view.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const options = optionsOf(call);
  await using store = await openToChange(call, reference);
  const conversation = await conversationOf(call, store, reference);
  for (const name of options.names ?? []) checkNamed(await branchOf(conversation, name));
  const { dryRun, removed, bytes } = await conversation.pruneBranches(options);
  if (call.json) call.out.json({ dryRun, removed, bytes });
  else if (removed.length === 0) call.out.lines(["No branches to prune."]);
  else {
    call.out.lines([
      ...removedTable(call.out, "branch", removed),
      "",
      ...removedLines(call.out, dryRun, "branch", removed, bytes),
    ]);
  }
  return EXIT_DONE;
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
  if (names !== undefined) {
    const other = ["older-than-days", "keep", "abandoned"].find(
      (option) => call.values.has(option) || call.flags.has(option),
    );
    if (other !== undefined) throw new UsageError(`--name and --${other} cannot be given together`, other);
    return { names: [...new Set(names)], dryRun };
  }
  if (olderThanDays === undefined && keep === undefined && !abandoned) {
    throw invalid(
      "Specify which branches: --older-than-days, --keep, --abandoned or --name. Nothing is removed by default",
      "options",
    );
  }
  return {
    ...(olderThanDays === undefined ? {} : { olderThanDays }),
    ...(keep === undefined ? {} : { keep }),
    abandoned,
    dryRun,
  };
}
