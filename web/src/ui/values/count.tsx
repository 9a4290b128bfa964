import type { JSX } from "preact";

const whole = new Intl.NumberFormat();
const UNITS = ["", "k", "M", "G", "T"] as const;

/** `940`, `12.4k`, `3.1M`. */
export function shortCount(value: number): string {
  let rest = value;
  let unit = 0;
  // 999.95k would become 1000.0k.
  while (Math.abs(rest) >= 999.95 && unit < UNITS.length - 1) {
    rest /= 1000;
    unit++;
  }
  if (unit === 0) return whole.format(value);
  return `${rest.toFixed(1).replace(/\.0$/, "")}${UNITS[unit]}`;
}

export function exactCount(value: number): string {
  return whole.format(value);
}

/** `1.2 MB`, in steps of 1000. */
export function shortBytes(bytes: number): string {
  const text = shortCount(bytes);
  const unit = /[kMGT]$/.exec(text)?.[0] ?? "";
  return `${unit ? text.slice(0, -1) : text} ${unit}B`;
}

/** `$0.0042`, `$1.20`. */
export function money(dollars: number): string {
  if (dollars === 0) return "$0";
  return dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;
}

export interface CountProps {
  readonly value: number;
  /** After the number, in singular and plural: `["message", "messages"]`. */
  readonly of?: readonly [string, string];
}

/** Exact on hover. */
export function Count({ value, of }: CountProps): JSX.Element {
  const unit = of ? ` ${value === 1 ? of[0] : of[1]}` : "";
  return (
    <span class="number" title={`${exactCount(value)}${unit}`}>
      {shortCount(value)}
      {unit}
    </span>
  );
}
