/** Where the gateway of a state folder is, for the commands that ask for it. */
import type { ConfigView } from "../../wire/rest.ts";
import type { Keeper, Records } from "./records.ts";

export interface RunningGateway {
  /** Such as `http://127.0.0.1:18789`. */
  readonly url: string;
  readonly pid: number;
  readonly config: ConfigView;
}

export function noteRunning({ records }: Keeper, running: RunningGateway): void {
  const sql = "INSERT OR REPLACE INTO settings (name, value) VALUES ('running', ?)";
  records.run(sql, JSON.stringify(running));
}

/** Unless another one was started since. */
export function forgetRunning({ records }: Keeper, pid: number): void {
  records.write(() => {
    if (readRunning(records)?.pid === pid) records.run("DELETE FROM settings WHERE name = 'running'");
  });
}

/** One that was killed is still noted. */
export function readRunning(records: Records): RunningGateway | undefined {
  const row = records.get("SELECT value FROM settings WHERE name = 'running'");
  return row === undefined ? undefined : (JSON.parse(String(row.value)) as RunningGateway);
}
