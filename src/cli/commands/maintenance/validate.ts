import { damagedFile } from "../../../doctor/damaged-file.ts";
import { REPAIR, storeFixes } from "../../../doctor/store-fixes.ts";
import { countFindings } from "../../../engine/findings.ts";
import { isDamage } from "../../../sqlite/damage.ts";
import { DEPTH_WARNING, type RepairOptions, rebuildStore } from "../../../store/copy/repair.ts";
import type { Finding, VerifyReport } from "../../../store/index.ts";
import { isLostBlob } from "../../../store/retention/import-ledger.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../../exit.ts";
import { checkPath } from "../../input/path-argument.ts";
import { nextCommand } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { openToClean, openToRead } from "../../store/open-store.ts";
import { type StoreTarget, storeTarget } from "../../store/store-target.ts";
import { counted } from "../../terminal/count-text.ts";
import { withProgress } from "../../terminal/progress.ts";
import { wrap } from "../../terminal/wrap.ts";
import { findingJson, placeOf } from "../../view/finding-view.ts";
import { fixText } from "../../view/fix-text.ts";

type Report = VerifyReport & { readonly repaired?: readonly Finding[] };

const NOTHING: VerifyReport = { ok: true, conversations: 0, entries: 0, findings: [] };

export async function run(call: Call): Promise<Result> {
  const report = await withProgress(call, "Reading the store", () => reportOn(call));
  const { ok, conversations, findings, repaired } = report;
  const mended = repaired === undefined ? {} : { repaired: repaired.map(findingJson) };
  return {
    json: { ok, conversations, findings: findings.map(findingJson), ...mended },
    lines: reportLines(call.out, report),
    notes: repaired === undefined ? adviceFor(call, findings) : [],
    exit: ok && !repaired?.some(isLoss) ? EXIT_DONE : EXIT_PROBLEMS,
  };
}

/** One line for each kind of advice. */
function adviceFor({ values }: Call, findings: readonly Finding[]): string[] {
  const fixOf = storeFixes(findings);
  const lines = findings.map((finding) => {
    const fix = fixOf(finding);
    return fix === REPAIR
      ? `To repair: ${nextCommand("sessions validate --repair", values)}`
      : `${finding.code}: ${fixText(fix, values)}`;
  });
  if (findings.some(isLostBlob)) lines.push(`To restore imported bytes: ${nextCommand("import", values)}`);
  return [...new Set(lines)];
}

function isProblem({ code }: Finding): boolean {
  return code !== DEPTH_WARNING;
}

/** Words that are gone, though the store is whole again. */
function isLoss({ code }: Finding): boolean {
  return code.startsWith("lost-");
}

/** Damage that prevents opening the store is a finding too. */
async function reportOn(call: Call): Promise<Report> {
  const target = storeTarget(call.values);
  try {
    return call.flags.has("repair") ? await repair(call, target) : await verify(call, target);
  } catch (error) {
    const finding = damagedFile(error, target.path);
    if (finding === undefined) throw error;
    return { ...NOTHING, ok: false, findings: [finding] };
  }
}

async function verify(call: Call, target: StoreTarget): Promise<Report> {
  await using store = await openToRead(call, target);
  if (store === undefined) return NOTHING;
  return await store.validate();
}

async function repair(call: Call, target: StoreTarget): Promise<Report> {
  const from = call.values.get("from");
  const options = from === undefined ? {} : { from: checkPath(from) };
  const rebuilt = await rebuildIfNeeded(call, target, options);
  await using store = await openToClean(call, false);
  if (store === undefined) return { ...NOTHING, repaired: [] };
  const report = await store.repair(options);
  return { ...report, repaired: [...rebuilt, ...report.repaired] };
}

/** A SQLite file that cannot even be opened is rebuilt first. */
async function rebuildIfNeeded(call: Call, target: StoreTarget, options: RepairOptions): Promise<Finding[]> {
  if (target.engine !== "sqlite" || target.missing) return [];
  try {
    await (await openToClean(call, false))?.close();
    return [];
  } catch (error) {
    if (!isDamage(error)) throw error;
    return await rebuildStore(target.text, options);
  }
}

function reportLines(out: Output, { ok, conversations, entries, findings, repaired = [] }: Report): string[] {
  const read = `${counted(conversations, "conversation")} and ${counted(entries, "entry")} read`;
  const mended = repaired.flatMap((finding) => findingLines(out, finding, isLoss(finding) ? "red" : "green"));
  const count = `${counted(countFindings(repaired), "problem")} repaired. `;
  const found = findings.flatMap((finding) =>
    findingLines(out, finding, isProblem(finding) ? "red" : "yellow"),
  );
  if (ok) {
    const fine = `${out.style("green", "ok")}: ${read}, no problems`;
    return [...mended, ...found, ...wrap(repaired.length === 0 ? fine : `${count}${fine}`, out.columns)];
  }
  return [
    ...mended,
    ...found,
    "",
    ...wrap(
      `${repaired.length === 0 ? "" : count}${counted(countFindings(findings.filter(isProblem)), "problem")} found. ${read}.`,
      out.columns,
    ),
    ...wrap(aboutDamage(findings, repaired), out.columns),
  ];
}

function aboutDamage(findings: readonly Finding[], repaired: readonly Finding[]): string {
  const fixOf = storeFixes(findings);
  if (findings.every((finding) => fixOf(finding) !== REPAIR)) return "Nothing is damaged.";
  return repaired.length === 0
    ? "Back up the store first. Undamaged data can still be read."
    : "The remaining problems cannot be repaired. Undamaged data can still be read.";
}

/** Paths stay whole, so that they can be copied. */
function findingLines(out: Output, finding: Finding, style: "red" | "green" | "yellow"): string[] {
  const place = wrap(safeLine(placeOf(finding)), out.columns - 2);
  return [
    ...wrap(`${out.style(style, finding.code)}: ${safeLine(finding.message)}`, out.columns),
    ...place.map((line) => `  ${line}`),
  ];
}
