import type { ErrorBody } from "../wire/rest.ts";

/** What a gateway or the client refused, by its code; `NETWORK_ERROR` if it cannot be reached. */
export class GatewayError extends Error {
  readonly code: string;
  readonly field: string | null;

  constructor({ code, message, field }: ErrorBody["error"]) {
    super(message);
    this.name = "GatewayError";
    this.code = code;
    this.field = field;
  }
}

export function networkError(message: string): GatewayError {
  return new GatewayError({ code: "NETWORK_ERROR", message, field: null });
}

export function wrongOption(message: string, field: string): GatewayError {
  return new GatewayError({ code: "VALIDATION_ERROR", message, field });
}
