import { invalid } from "../errors.ts";

/** The number behind an option. Whether it is too large is for the store to say. */
export function wholeNumber(text: string, option: string): number {
  if (!/^\d{1,15}$/.test(text) || Number(text) === 0) {
    throw invalid(`--${option} is a whole number from 1 on, not "${text}"`, option);
  }
  return Number(text);
}
