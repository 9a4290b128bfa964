import type { Engine } from "../../engine/index.ts";
import { ColloquyError, type ErrorCode } from "../../errors.ts";

/** Describes the engine of a worker once it is open, as reply 0. */
export type Opened = Pick<Engine, "name" | "location" | "supports">;

/** The messages between the two sides of a worker. */
export interface Request {
  readonly id: number;
  readonly method: Exclude<keyof Engine, keyof Opened>;
  readonly args: readonly unknown[];
}

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: FlatError }
  | { readonly problem: FlatError };

/** An error as plain values: the copy between threads keeps a message, but neither class nor code. */
export interface FlatError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

export function flattenError({ code, message, field, details }: ColloquyError): FlatError {
  return { code, message, field, details };
}

export function reviveError({ code, message, field, details }: FlatError): ColloquyError {
  return new ColloquyError(code, message, { field, details });
}
