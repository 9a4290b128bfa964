import type { Call, Result } from "../../command.ts";
import { runGateway } from "./run-gateway.ts";

export async function run(call: Call): Promise<Result> {
  if (call.flags.has("install")) return (await import("./install.ts")).installGateway(call);
  return runGateway(call, { opensBrowser: false });
}
