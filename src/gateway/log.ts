/** The log of a gateway: one JSON object a line, without secrets, queries and content. */
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";

/** What a gateway notes. `pino` and most other loggers fit. */
export interface GatewayLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export const NO_LOG: GatewayLog = { info: () => {}, warn: () => {}, error: () => {} };

export function openLog(stateDir: string): GatewayLog {
  const dest = join(stateDir, "gateway.log");
  // Made first, for its permissions.
  closeSync(openSync(dest, "a", 0o600));
  return pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest, sync: true }),
  );
}
