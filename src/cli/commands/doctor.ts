import { relative } from "node:path";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { Finding } from "../../store/index.ts";
import type { Call } from "../command.ts";
import { counted } from "../conversation-view.ts";
import { damagedFile } from "../damaged-file.ts";
import {
  type Checkup,
  checkDisk,
  checkNode,
  checkSqlite,
  checkStateFolder,
  checkStoreFiles,
  type DoctorFinding,
} from "../doctor-checks.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../exit.ts";
import { openToRead } from "../open-store.ts";
import type { Output } from "../output.ts";
import { safeLine } from "../safe-text.ts";
import { type StoreTarget, stateFolder, storeTarget } from "../store-target.ts";
import { wrap } from "../wrap.ts";

const NOT_OPENED = "store-not-opened";

export async function run(call: Call): Promise<number> {
  const target = storeTarget(call.values);
  const folder = stateFolder(call.values);
  const store = await checkStore(call, target);
  const checkups = [checkNode(), checkSqlite(), checkStateFolder(folder), store];
  const elsewhere = target.path !== null && relative(folder, target.path).startsWith("..");
  // A file that turned out not to be ours is none of our business.
  if (elsewhere && store.findings.every(({ code }) => code !== NOT_OPENED))
    checkups.push(checkStoreFiles(target));
  checkups.push(checkDisk(target.path ?? folder));
  const findings = checkups.flatMap((checkup) => checkup.findings);
  const ok = findings.every(({ severity }) => severity === "info");
  if (call.json) call.out.json({ ok, findings });
  else call.out.lines(lines(call.out, checkups));
  return ok ? EXIT_DONE : EXIT_PROBLEMS;
}

/** Open it and read everything. What goes wrong is a finding, so that the other checks are shown too. */
async function checkStore(call: Call, target: StoreTarget): Promise<Checkup> {
  const place = target.path ?? target.text;
  try {
    await using store = await openToRead(call, target);
    if (store === undefined) {
      const fix = "Nothing to do: the first message makes it";
      const none: DoctorFinding = {
        code: "no-store",
        severity: "info",
        what: `There is no store at ${place} yet`,
        fix,
      };
      return { checked: `Store ${place}`, findings: [none] };
    }
    const { conversations, findings } = await store.verify();
    const checked = `Store ${place}, ${counted(conversations, "conversation")}`;
    return { checked, findings: findings.map(damage) };
  } catch (error) {
    const damaged = damagedFile(error, target);
    const finding =
      damaged === undefined ? unopened(asColloquyError(error, `Cannot read ${place}`)) : damage(damaged);
    return { checked: `Store ${place}`, findings: [finding] };
  }
}

function damage({ code, conversation, source, line, message }: Finding): DoctorFinding {
  const at = line === null ? "" : `, line ${line}`;
  const whose = conversation === null ? "" : ` (conversation ${conversation})`;
  const fix = "Copy the store before anything else. What can be read is still read; a backup has the rest";
  return { code, severity: "error", what: `${source ?? "The store"}${at}: ${message}${whose}`, fix };
}

function unopened(error: ColloquyError): DoctorFinding {
  return {
    code: NOT_OPENED,
    severity: "error",
    what: error.message,
    fix: FIXES[error.code] ?? FIXES.INTERNAL_ERROR,
  };
}

const FIXES: Readonly<Partial<Record<ColloquyError["code"], string>> & { INTERNAL_ERROR: string }> = {
  NOT_FOUND: "Check --store and COLLOQUY_STORE; a first message makes the store",
  VALIDATION_ERROR: "Check --store and COLLOQUY_STORE: they name something that is not a store",
  NOT_SUPPORTED: "Update Colloquy, or choose another store with --store",
  SERVICE_UNAVAILABLE: "Copy the store, then check the disk and the permissions",
  INTERNAL_ERROR: "Copy the store, and report this as a bug",
};

const NO_MARK = " ".repeat(7);

/** A mark, and what it is for. */
function beside(out: Output, mark: string, text: string, style?: "dim"): string[] {
  return wrap(safeLine(text), out.columns - NO_MARK.length - 2).map((line, index) => {
    const styled = style === undefined ? line : out.style(style, line);
    return `${index === 0 ? mark : NO_MARK}  ${styled}`;
  });
}

const MARKS = { error: "red", warning: "yellow", info: "cyan" } as const;

function lines(out: Output, checkups: readonly Checkup[]): string[] {
  const found = checkups.flatMap(({ findings }) => findings).filter(({ severity }) => severity !== "info");
  return [
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
