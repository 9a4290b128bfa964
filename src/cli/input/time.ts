import { invalid } from "../../errors.ts";
import { isoTime, parseTime } from "../../util/time.ts";
import type { Call } from "../command.ts";

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The value of an option as a time: ISO 8601, or a day, which begins at midnight here. */
export function givenTime({ values }: Call, option: string): string | undefined {
  const text = values.get(option);
  if (text === undefined) return undefined;
  const ms = DAY.test(text) ? dayStart(text) : parseTime(text);
  if (ms !== undefined && ms >= 0) return isoTime(ms);
  throw invalid(
    `--${option} must be a day or time such as 2026-03-01 or 2026-03-01T09:00:00Z, not "${text}"`,
    option,
  );
}

/** `undefined` for a day that does not exist. */
function dayStart(text: string): number | undefined {
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  const date = new Date(year, month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date.getTime() : undefined;
}
