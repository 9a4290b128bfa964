import type { Finding, VerifyReport } from "../../store/index.ts";
import type { Call } from "../command.ts";
import { counted } from "../conversation-view.ts";
import { damagedFile } from "../damaged-file.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../exit.ts";
import { findingJson, placeOf } from "../finding-view.ts";
import { openToRead } from "../open-store.ts";
import type { Output } from "../output.ts";
import { safeLine } from "../safe-text.ts";
import { storeTarget } from "../store-target.ts";
import { wrap } from "../wrap.ts";

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

function reportLines(out: Output, { ok, conversations, entries, findings }: VerifyReport): string[] {
  const read = `${counted(conversations, "conversation")} and ${counted(entries, "entry")} read`;
  if (ok) return wrap(`${out.style("green", "ok")}: ${read}, nothing is wrong`, out.columns);
  return [
    ...findings.flatMap((finding) => findingLines(out, finding)),
    "",
    ...wrap(`${counted(findings.length, "problem")} found. ${read}.`, out.columns),
    ...wrap("Copy the store before anything else; what can be read is still read.", out.columns),
  ];
}

/** Paths stay whole, to be copied. */
function findingLines(out: Output, finding: Finding): string[] {
  const place = wrap(safeLine(placeOf(finding)), out.columns - 2);
  return [
    ...wrap(`${out.style("red", finding.code)}: ${safeLine(finding.message)}`, out.columns),
    ...place.map((line) => `  ${line}`),
  ];
}
