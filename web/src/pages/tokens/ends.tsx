import type { JSX } from "preact";
import { exactTime } from "../../ui/values/time.tsx";

const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });

/** A date in the future, exact on hover. */
export function Ends({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={at} title={exactTime(at)} class="number">
      {day.format(Date.parse(at))}
    </time>
  );
}
