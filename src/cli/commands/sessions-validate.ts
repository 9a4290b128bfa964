import type { Finding, VerifyReport } from "../../store/index.ts";
import type { Call } from "../command.ts";
import { counted } from "../conversation-view.ts";
import { damagedFile } from "../damaged-file.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../exit.ts";
import { openToRead } from "../open-store.ts";
import type { Output } from "../output.ts";
import { safeLine } from "../safe-text.ts";
import { storeTarget } from "../store-target.ts";

export async function run(call: Call): Promise<number> {
  const report = await reportOn(call);
  const { ok, conversations, findings } = report;
  if (call.json) call.out.json({ ok, conversations, findings: findings.map(findingJson) });
  else call.out.lines(reportLines(call.out, report));
  return ok ? EXIT_DONE : EXIT_PROBLEMS;
}

/** Damage that keeps the store from being opened is what was looked for, too. */
async function reportOn(call: Call): Promise<VerifyReport> {
  const target = storeTarget(call.values);
  const nothing = { conversations: 0, entries: 0 };
  try {
    await using store = await openToRead(call, target);
    return (await store?.verify()) ?? { ok: true, ...nothing, findings: [] };
  } catch (error) {
    const finding = damagedFile(error, target);
    if (finding === undefined) throw error;
    return { ok: false, ...nothing, findings: [finding] };
  }
}

function findingJson({ code, conversation, source, line, message }: Finding): Record<string, unknown> {
  return { code, conversation, source, line, message };
}

function reportLines(out: Output, { ok, conversations, entries, findings }: VerifyReport): string[] {
  const read = `${counted(conversations, "conversation")} and ${counted(entries, "entry")} read`;
  if (ok) return [`${out.style("green", "ok")}: ${read}, nothing is wrong`];
  return [
    ...findings.flatMap((finding) => findingLines(out, finding)),
    "",
    `${counted(findings.length, "problem")} found. ${read}.`,
    "Copy the store before anything else; what can be read is still read.",
  ];
}

function findingLines(out: Output, { code, conversation, source, line, message }: Finding): string[] {
  const place = [source ?? "", line === null ? "" : `line ${line}`].filter((part) => part !== "").join(", ");
  const where = conversation === null ? place : `${place} (conversation ${conversation})`;
  return [`${out.style("red", code)}: ${safeLine(message)}`, `  ${safeLine(where)}`];
}
