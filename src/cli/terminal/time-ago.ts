const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const RELATIVE_DAYS_MAX = 30;

/** A relative time such as "3 min ago"; the date when it is long ago or in the future. */
export function timeAgo(iso: string | null, nowMs: number = Date.now()): string {
  if (iso === null) return "–";
  const ms = Date.parse(iso);
  const age = nowMs - ms;
  if (Number.isNaN(age)) return "–";
  // Clocks of two machines differ a little.
  if (age < MINUTE_MS && age > -MINUTE_MS) return "just now";
  if (age < 0 || age > RELATIVE_DAYS_MAX * DAY_MS) return localDate(ms);
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
  const days = Math.floor(age / DAY_MS);
  return days === 1 ? "yesterday" : `${days} days ago`;
}

function localDate(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
