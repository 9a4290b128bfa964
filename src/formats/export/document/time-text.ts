import { visibleLine } from "../../../util/visible-text.ts";

/** `2026-11-15 06:35 UTC` */
export function timeText(at: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(at) ?? [];
  return day === undefined ? visibleLine(at) : `${day} ${time} UTC`;
}
