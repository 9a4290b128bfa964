import type { Call, Result } from "../../command.ts";
import { runGateway } from "./run-gateway.ts";

export function run(call: Call): Promise<Result> {
  return runGateway(call, { opensBrowser: !call.flags.has("no-open") && !call.json });
}
