import { relative } from "node:path";
import type { Call } from "../../command.ts";
import { checkAgents } from "../../doctor-agents.ts";
import {
  attempt,
  type Checkup,
  checkDisk,
  checkNode,
  checkSqlite,
  type Fixed,
  type Fixing,
} from "../../doctor-checks.ts";
import { checkConfig } from "../../doctor-config.ts";
import { checkLeftovers, checkStateFolder, checkStoreFiles } from "../../doctor-files.ts";
import { checkStore } from "../../doctor-store.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../../exit.ts";
import { nextCommand } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { storeTarget } from "../../store/store-target.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { wrap } from "../../terminal/wrap.ts";
import { counted } from "../../view/conversation-view.ts";
import { configOptions } from "../config/access.ts";

export async function run(call: Call): Promise<number> {
  const fixing: Fixing = call.flags.has("fix") ? [] : undefined;
  const checkups = await checkAll(call, fixing);
  const findings = checkups.flatMap((checkup) => checkup.findings);
  const ok = findings.every(({ severity }) => severity === "note");
  if (call.json) call.out.json({ ok, findings, ...(fixing === undefined ? {} : { fixed: fixing }) });
  else {
    call.out.lines(lines(call.out, checkups, fixing ?? []));
    if (fixing === undefined && findings.some(({ code }) => FIXABLE.has(code))) {
      call.out.note(`To put right what is safe to put right: ${nextCommand("doctor --fix", call.values)}`);
    }
  }
  return ok ? EXIT_DONE : EXIT_PROBLEMS;
}

/** What `--fix` does something about. Nothing of that deletes anything. */
const FIXABLE: ReadonlySet<string> = new Set([
  "open-folder",
  "open-file",
  "damaged-index",
  "index-differs",
  "no-models",
  "old-models",
]);

async function checkAll(call: Call, fixing: Fixing): Promise<Checkup[]> {
  const { values } = call;
  const target = storeTarget(values);
  const options = await configOptions(call);
  const { stateDir } = options;
  const folder = await attempt(`State folder ${stateDir}`, () => checkStateFolder(stateDir, fixing));
  const config = await checkConfig(options, values);
  const { checkup, store: opened, ours } = await checkStore(call, target);
  await using store = opened;
  const checkups = [checkNode(), checkSqlite(), ...folder, config.checkup, checkup];
  const elsewhere = target.path !== null && relative(stateDir, target.path).startsWith("..");
  if (elsewhere && ours) {
    checkups.push(...(await attempt(`Permissions of ${target.path}`, () => checkStoreFiles(target, fixing))));
  }
  // The index is a view of the usual store, not of one that is named for once.
  const usual = values.has("store") ? undefined : store;
  const agents = { options, config, store: usual, values, fixing };
  checkups.push(...(await attempt("Agents", () => checkAgents(agents))));
  const places = elsewhere && ours ? [stateDir, target.path] : [stateDir];
  checkups.push(...(await attempt("What was set aside", () => checkLeftovers(places))));
  checkups.push(...(await attempt("Disk space", () => checkDisk(target.path ?? stateDir))));
  return checkups;
}

const NO_MARK = " ".repeat(7);

/** A mark, and what it is for. */
function beside(out: Output, mark: string, text: string, style?: "dim"): string[] {
  return wrap(safeLine(text), out.columns - NO_MARK.length - 2).map((line, index) => {
    const styled = style === undefined ? line : out.style(style, line);
    return `${index === 0 ? mark : NO_MARK}  ${styled}`;
  });
}

const MARKS = { error: "red", warning: "yellow", note: "cyan" } as const;

function lines(out: Output, checkups: readonly Checkup[], fixed: readonly Fixed[]): string[] {
  const found = checkups.flatMap(({ findings }) => findings).filter(({ severity }) => severity !== "note");
  return [
    ...fixed.flatMap(({ what }) => beside(out, out.style("green", "fixed  "), what)),
    ...checkups.flatMap(({ checked, findings }) => [
      ...(findings.length === 0 ? beside(out, out.style("green", "ok     "), checked) : []),
      ...findings.flatMap(({ severity, what, fix }) => [
        ...beside(out, out.style(MARKS[severity], severity.padEnd(7)), what),
        ...beside(out, NO_MARK, fix, "dim"),
      ]),
    ]),
    "",
    found.length === 0 ? "All is well." : `${counted(found.length, "problem")} found.`,
  ];
}
