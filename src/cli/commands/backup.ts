import { ColloquyError } from "../../errors.ts";
import { bytesText } from "../bytes-text.ts";
import type { Call } from "../command.ts";
import { counted } from "../conversation-view.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../exit.ts";
import { nextCommand, quoted } from "../invocation.ts";
import { openToRead } from "../open-store.ts";
import { checkPath } from "../path-argument.ts";
import { withProgress } from "../progress.ts";
import { safeLine } from "../safe-text.ts";
import { storeTarget } from "../store-target.ts";

export async function run(call: Call): Promise<number> {
  const path = checkPath(call.args[0] as string);
  const target = storeTarget(call.values);
  await using store = await openToRead(call, target);
  if (store === undefined) {
    throw new ColloquyError(
      "NOT_FOUND",
      `There is nothing to back up: there is no store at ${target.path} yet`,
    );
  }
  const report = await withProgress(call, "Copying the store", () => store.backup(path));
  const { conversations, entries, bytes } = report;
  if (call.json) call.out.json({ ...report });
  else {
    const what = `${counted(conversations, "conversation")} with ${counted(entries, "entry")}`;
    call.out.lines([
      `Copied ${what} to ${safeLine(report.path)} (${bytesText(bytes)})`,
      "Beside it stands its .manifest.json: keep both, it proves later that the copy is whole.",
    ]);
    const restore = nextCommand(`restore ${quoted(safeLine(path))}`, call.values);
    call.out.note(`To put it in the place of the store: ${restore} --force`);
  }
  if (report.ok) return EXIT_DONE;
  for (const { message } of report.findings.slice(0, 5)) {
    call.out.note(`The store is damaged, and so is the copy: ${safeLine(message)}`);
  }
  return EXIT_PROBLEMS;
}
