/** The stacked bar of a context: how much of the window each kind takes, and what did not get in. */
import type { ContextView } from "../../../../src/gateway/wire/rest.ts";

type SegmentName = "system" | "summary" | "kept" | "cut" | "free" | "dropped";

interface Segment {
  readonly name: SegmentName;
  readonly tokens: number;
  /** From 0 to 1000, so that rounding does not leave gaps. */
  readonly start: number;
  readonly width: number;
}

export interface LedgerBar {
  readonly segments: readonly Segment[];
  /** Where the window of the model ends. */
  readonly limit: number;
  readonly sent: number;
}

/** Narrower segments could not be seen. */
const WIDTH_MIN = 6;
const WIDTH = 1000;

/** What is sent, then what is free, then what was dropped, beyond the limit. */
export function ledgerBar({ tokens, maxTokens }: Pick<ContextView, "tokens" | "maxTokens">): LedgerBar {
  const { system, summary, kept, cut, dropped } = tokens;
  const sent = system + summary + kept + cut;
  const free = Math.max(0, maxTokens - sent);
  const parts: [SegmentName, number][] = [
    ["system", system],
    ["summary", summary],
    ["kept", kept],
    ["cut", cut],
    ["free", free],
    ["dropped", dropped],
  ];
  const present = parts.filter(([, count]) => count > 0);
  const widths = shares(present.map(([, count]) => count));
  const segments: Segment[] = [];
  let start = 0;
  for (const [index, [name, count]] of present.entries()) {
    const width = widths[index] as number;
    segments.push({ name, tokens: count, start, width });
    start += width;
  }
  const beyond = segments.find(({ name }) => name === "dropped");
  return { segments, limit: beyond?.start ?? WIDTH, sent };
}

/** In proportion, but none below the minimum: the widest ones pay for it. */
function shares(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const small = counts.map((count) => (count / total) * WIDTH < WIDTH_MIN);
  const rest = WIDTH - WIDTH_MIN * small.filter(Boolean).length;
  const large = counts.reduce((sum, count, index) => (small[index] ? sum : sum + count), 0);
  return counts.map((count, index) => (small[index] ? WIDTH_MIN : (count / large) * rest));
}
