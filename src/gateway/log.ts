/** The log of a gateway: one JSON object a line, without secrets, queries and content. */
import { join } from "node:path";
import pino from "pino";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { LogFile } from "../state/log-file.ts";

/** What a gateway notes. `pino` and most other loggers fit. */
export interface GatewayLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export const NO_LOG: GatewayLog = { info: () => {}, warn: () => {}, error: () => {} };

/** Every line passes the redaction, so that those who write one need not think of it. */
export function openLog(stateDir: string, bytesMax?: number): GatewayLog {
  const file = new LogFile(join(stateDir, "gateway.log"), bytesMax);
  return pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => file.write(redactSecrets(line).text) },
  );
}
