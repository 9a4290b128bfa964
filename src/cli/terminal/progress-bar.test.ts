import { describe, expect, it } from "vitest";
import { progressBar, progressText } from "./progress-bar.ts";

describe("a progress bar", () => {
  it.each([
    [0, 100, 0.5, "░░░░░░░░░░░░░░░░░░░░   0 %"],
    [50_000_000, 100_000_000, 2, "██████████░░░░░░░░░░  50 % · 25.0 MB/s · 2 s left"],
    [1_000_000, 1_000_000_000, 1, "░░░░░░░░░░░░░░░░░░░░   0 % · 1.0 MB/s · 16 min left"],
    [200, 100, 10, "████████████████████ 100 % · 20 bytes/s · 0 s left"],
    [0, 0, 5, "░░░░░░░░░░░░░░░░░░░░   0 %"],
  ])("shows %d of %d bytes after %d s", (done, total, seconds, text) => {
    expect(progressText(done, total, seconds)).toBe(text);
  });

  it("is shown to people only, and cleared at the end", () => {
    let shown = "";
    const stream = {
      isTTY: true,
      columns: 40,
      write: (text: string) => {
        shown += text;
        return true;
      },
    };
    let nowMs = 1000;
    const bar = progressBar({ json: false }, "Importing", stream, () => nowMs);
    nowMs = 3000;
    bar.show(1, 2, "1 of 2 files");
    bar.show(2, 2, "too soon");
    expect(shown).toContain("Importing ██████████");
    expect(shown).not.toContain("too soon");
    bar.clear();
    expect(shown.endsWith("\r\u001b[K")).toBe(true);
    const before = shown;
    progressBar({ json: true }, "Importing", stream, () => nowMs).show(1, 2, "");
    expect(shown).toBe(before);
  });
});
