/** What the doctor reports: checkups, the findings in them, and what it fixed. */
import { asColloquyError } from "../errors.ts";

export interface DoctorFinding {
  /** Short and stable. */
  readonly code: string;
  /** A note is worth knowing and not a problem. */
  readonly severity: "error" | "warning" | "note";
  /** What is wrong, in a sentence. Never contains a secret. */
  readonly what: string;
  readonly fix: Fix;
  /** Set where a run with `fix` repairs it. */
  readonly fixable?: true;
  /** The facts of `what`, such as a path, a line or a count. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What to do about a finding. */
export interface Fix {
  readonly text: string;
  /** Words of the `colloquy` command that helps: `["config", "explain", "gateway.port"]`. */
  readonly command?: readonly string[];
  /** Words of a system command that helps: `["chmod", "600", path]`. */
  readonly shell?: readonly string[];
  /** The setting to change. */
  readonly setting?: "store" | "state-dir";
}

/** One thing that was checked, and what is wrong with it. */
export interface Checkup {
  readonly checked: string;
  readonly findings: readonly DoctorFinding[];
}

/** A problem that was repaired. */
export interface Fixed {
  /** The code of the finding. */
  readonly code: string;
  readonly what: string;
}

/** Collects repairs. `undefined` when nothing may be changed. */
export type Fixing = Fixed[] | undefined;

export const NOTHING_TO_DO = "Nothing to do";

/** A check that fails becomes a finding, so that the other checks still run. */
export async function attempt(
  checked: string,
  check: () => Promise<Checkup | Checkup[]> | Checkup | Checkup[],
): Promise<Checkup[]> {
  try {
    return [await check()].flat();
  } catch (error) {
    const { message: what } = asColloquyError(error, `Cannot check ${checked}`);
    const fix = { text: "Fix the cause named in the message. If that does not help, report a bug" };
    return [{ checked, findings: [{ code: "check-failed", severity: "error", what, fix }] }];
  }
}
