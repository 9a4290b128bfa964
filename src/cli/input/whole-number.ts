import { invalid } from "../../errors.ts";
import type { Call } from "../command.ts";

/** The number behind an option. */
export function wholeNumber(
  text: string,
  option: string,
  max: number = Number.MAX_SAFE_INTEGER,
  min = 1,
): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`;
  throw invalid(`--${option} must be a whole number ${range}, not "${text}"`, option);
}

/** The number behind an option that may be left out. */
export function givenNumber({ values }: Call, option: string, min = 1): number | undefined {
  const text = values.get(option);
  return text === undefined ? undefined : wholeNumber(text, option, Number.MAX_SAFE_INTEGER, min);
}
