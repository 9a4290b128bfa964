import { invalid } from "../errors.ts";

/** The number behind an option. */
export function wholeNumber(text: string, option: string, max: number = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? "from 1 on" : `from 1 to ${max}`;
  throw invalid(`--${option} must be a whole number ${range}, not "${text}"`, option);
}
