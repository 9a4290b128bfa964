/** Where the gateway of a state folder is, for the commands that ask for it. */
import { asColloquyError, type ColloquyError } from "../../../errors.ts";
import type { ConfigView } from "../../wire/rest.ts";
import type { Records } from "./records.ts";

export interface RunningGateway {
  /** Such as `http://127.0.0.1:18789`. */
  readonly url: string;
  readonly pid: number;
  readonly config: ConfigView;
}

export interface RunningNote {
  write(config: ConfigView): void;
  forget(): void;
}

/** Only commands read it: a disk that is full must not stop the gateway that it is about. */
export function runningNote(
  records: Records,
  url: string,
  onProblem: (problem: ColloquyError) => void,
): RunningNote {
  const { pid } = process;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      onProblem(asColloquyError(error, "Cannot note where the gateway is"));
    }
  };
  return {
    write: (config) =>
      attempt(() => {
        const sql = "INSERT OR REPLACE INTO settings (name, value) VALUES ('running', ?)";
        records.run(sql, JSON.stringify({ url, pid, config } satisfies RunningGateway));
      }),
    // Unless another one was started since.
    forget: () =>
      attempt(() => {
        if (readRunning(records)?.pid === pid) records.run("DELETE FROM settings WHERE name = 'running'");
      }),
  };
}

/** One that was killed is still noted. */
export function readRunning(records: Records): RunningGateway | undefined {
  const row = records.get("SELECT value FROM settings WHERE name = 'running'");
  return row === undefined ? undefined : (JSON.parse(String(row.value)) as RunningGateway);
}
