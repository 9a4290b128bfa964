import { describe, expect, it } from "vitest";
import { ledgerBar } from "./ledger-bar.ts";

const tokens = (counts: Partial<Parameters<typeof ledgerBar>[0]["tokens"]>) => ({
  system: 0,
  summary: 0,
  kept: 0,
  cut: 0,
  dropped: 0,
  ...counts,
});

describe("ledgerBar", () => {
  it("fills the bar with what is sent, what is free and what was dropped", () => {
    const bar = ledgerBar({ maxTokens: 1000, tokens: tokens({ system: 100, kept: 400, dropped: 1000 }) });
    expect(bar.segments.map(({ name }) => name)).toEqual(["system", "kept", "free", "dropped"]);
    expect(bar.segments.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(1000);
    expect(bar.limit).toBeCloseTo(500);
    expect(bar.sent).toBe(500);
  });

  it("keeps a tiny part visible without pushing the others out", () => {
    const { segments } = ledgerBar({
      maxTokens: 200_000,
      tokens: tokens({ system: 5, summary: 3, kept: 199_000 }),
    });
    expect(segments.every(({ width }) => width >= 5)).toBe(true);
    expect(segments.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(1000);
  });

  it("has only free space for an empty conversation, and no limit mark inside", () => {
    expect(ledgerBar({ maxTokens: 8000, tokens: tokens({}) })).toEqual({
      segments: [{ name: "free", tokens: 8000, start: 0, width: 1000 }],
      limit: 1000,
      sent: 0,
    });
  });

  it("survives a window of zero", () => {
    expect(ledgerBar({ maxTokens: 0, tokens: tokens({}) }).segments).toEqual([]);
  });
});
