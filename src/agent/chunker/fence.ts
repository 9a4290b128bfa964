/** Fenced code blocks of Markdown: ``` or ~~~, with an info string. */

/** A block that is open, and the lines that close it in one message and open it again in the next. */
export interface Fence {
  readonly marker: string;
  /** Empty if the limit is too small for it. */
  readonly open: string;
  readonly close: string;
}

/** The added lines use at most this part of a chunk. */
const ADDED_SHARE = 0.5;
/** A block in a list is indented by more than three spaces. */
const OPENER = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})/;

export function opensFence(line: string, max: number): Fence | undefined {
  const [start, indent = "", marker = ""] = OPENER.exec(line) ?? [];
  if (start === undefined) return undefined;
  const close = indent + marker;
  const fits = (open: string): boolean => open.length + close.length + 2 <= max * ADDED_SHARE;
  const open = [line.trimEnd(), close].find(fits);
  return open === undefined ? { marker, open: "", close: "" } : { marker, open, close };
}

export function closesFence({ marker }: Fence, line: string): boolean {
  const text = line.trim();
  return text.startsWith(marker) && text === marker.charAt(0).repeat(text.length);
}

/** Added after a part of a block that is cut. */
export function closingOf({ close }: Fence, atLineStart: boolean): string {
  return close === "" || atLineStart ? close : `\n${close}`;
}

/** Added before the next part. */
export function openingOf({ open }: Fence): string {
  return open === "" ? "" : `${open}\n`;
}
