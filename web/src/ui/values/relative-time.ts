/** How long ago something was, in few words. Pure. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const sameYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const otherYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const daysAgo = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

export function relativeTime(at: number, reference: number): string {
  const age = reference - at;
  if (age < MINUTE) return "now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`;
  // 30 hours ago may be yesterday or the day before.
  const days = Math.round((midnight(reference) - midnight(at)) / DAY);
  if (days < 7) return daysAgo.format(-days, "day");
  const isThisYear = new Date(at).getFullYear() === new Date(reference).getFullYear();
  return (isThisYear ? sameYear : otherYear).format(at);
}

/** The beginning of its day, where the viewer is. A day with a change of the clock is an hour longer or shorter. */
function midnight(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
