import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { ConfigView } from "../wire/rest.ts";
import type { RecordChanges } from "./changes/changes.ts";

/** What the records say about this gateway. Resolves when it is noted, or cannot be. */
export interface RunningNote {
  write(config: ConfigView): Promise<void>;
  forget(): Promise<void>;
}

/** Only commands read it: a disk that is full must not stop the gateway that it is about. */
export function runningNote(
  changes: RecordChanges,
  url: string,
  onProblem: (problem: ColloquyError) => void,
): RunningNote {
  const { pid } = process;
  const failed = (error: unknown): void =>
    onProblem(asColloquyError(error, "Cannot note where the gateway is"));
  return {
    write: (config) => changes.make("noteRunning", { url, pid, config }).catch(failed),
    forget: () => changes.make("forgetRunning", pid).catch(failed),
  };
}
