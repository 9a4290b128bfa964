import type { Call, Result } from "../../command.ts";
import { installService, serviceWords } from "../../service/user-service.ts";

/** What was asked for is also true of the service. */
export function installGateway(call: Call): Result {
  const port = call.values.get("port");
  const command = [
    "gateway",
    "run",
    ...(port === undefined ? [] : ["--port", port]),
    ...(call.flags.has("no-page") ? ["--no-page"] : []),
  ];
  const words = serviceWords(call, command);
  return installService({ name: "gateway", description: "Colloquy gateway", words });
}
