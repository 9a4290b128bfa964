import type { Call, Result } from "../../command.ts";
import { runChannel } from "./run-channel.ts";

export function run(call: Call): Promise<Result> {
  return runChannel(call, call.args[0] as string);
}
