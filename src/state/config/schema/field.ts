/** The schema language of the config, read by validation, defaults, docs and editors. */
import type { Json } from "../../../util/json.ts";

interface Common {
  readonly description: string;
  readonly default?: Json;
  /** Never shown. */
  readonly secret?: true;
}

export interface ScalarField extends Common {
  readonly type: "string" | "path" | "number" | "integer" | "boolean" | "any";
  readonly enum?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** The form that a string must have, and what to call it. */
  readonly form?: { readonly pattern: string; readonly words: string };
}

export interface ObjectField extends Common {
  readonly type: "object";
  readonly members: Readonly<Record<string, Field>>;
  /** The schema of other keys. Without it other keys are unknown. */
  readonly others?: Field;
}

export interface ArrayField extends Common {
  readonly type: "array";
  readonly items: Field;
}

/** One of several kinds of value. */
export interface EitherField extends Common {
  readonly type: "either";
  readonly kinds: readonly Field[];
}

export type Field = ScalarField | ObjectField | ArrayField | EitherField;

/** A top-level key of the config. */
export interface Section {
  readonly field: Field;
  /** Whether this version uses it. */
  readonly used: boolean;
}

type Extra = Partial<Omit<ScalarField, "type" | "description">>;

type Make = (description: string, extra?: Extra) => ScalarField;

const scalar =
  (type: ScalarField["type"]): Make =>
  (description, extra = {}) => ({ type, description, ...extra });

export const text: Make = scalar("string");
export const path: Make = scalar("path");
export const flag: Make = scalar("boolean");
export const number: Make = scalar("number");
export const anything: Make = scalar("any");

export function whole(description: string, min: number, max: number, extra: Extra = {}): ScalarField {
  return { type: "integer", description, min, max, ...extra };
}

export function choice(description: string, options: readonly string[], preset?: string): ScalarField {
  return { type: "string", description, enum: options, ...(preset === undefined ? {} : { default: preset }) };
}

export function secret(description: string): ScalarField {
  return { type: "string", description, secret: true };
}

export function list(description: string, items: Field): ArrayField {
  return { type: "array", description, items };
}

export function object(
  description: string,
  members: Readonly<Record<string, Field>>,
  others?: Field,
): ObjectField {
  return others === undefined
    ? { type: "object", description, members }
    : { type: "object", description, members, others };
}

export function either(description: string, ...kinds: readonly Field[]): EitherField {
  return { type: "either", description, kinds };
}

/** For other keys of a section that is kept for other programs. */
export const KEPT: ScalarField = anything("Kept unchanged");
