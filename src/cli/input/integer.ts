import { invalid } from "../../errors.ts";
import type { Call } from "../command.ts";

/** The value of an option as an integer. */
export function integerOf(
  text: string,
  option: string,
  max: number = Number.MAX_SAFE_INTEGER,
  min = 1,
): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw invalid(`--${option} must be an integer ${range}, not "${text}"`, option);
}

/** The value of an optional option as an integer. */
export function givenNumber({ values }: Call, option: string, min = 1): number | undefined {
  const text = values.get(option);
  return text === undefined ? undefined : integerOf(text, option, Number.MAX_SAFE_INTEGER, min);
}
