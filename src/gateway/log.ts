/** The log of a gateway: one JSON object a line, without secrets, queries and content. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { LogFile } from "../state/log-file.ts";
import { LogLines } from "./log-lines.ts";

/** What a gateway notes. `pino` and most other loggers fit. */
export interface GatewayLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export const NO_LOG: GatewayLog = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Every line passes the redaction, so that those who write one need not think of it. Lines are written in the
 * background; closing the log, or the end of the process, waits for them.
 */
export function openLog(stateDir: string, bytesMax?: number): GatewayLog & AsyncDisposable {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const lines = new LogLines(new LogFile(join(stateDir, "gateway.log"), bytesMax));
  const log = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => lines.add(redactSecrets(line).text) },
  );
  return {
    info: (fields, text) => log.info(fields, text),
    warn: (fields, text) => log.warn(fields, text),
    error: (fields, text) => log.error(fields, text),
    [Symbol.asyncDispose]: () => lines.close(),
  };
}
