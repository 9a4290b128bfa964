import { describe, expect, it } from "vitest";
import { barText, statusLine } from "./progress.ts";

describe("a progress bar", () => {
  it.each([
    [0, 100, 0.5, "░░░░░░░░░░░░░░░░░░░░   0 %"],
    [50_000_000, 100_000_000, 2, "██████████░░░░░░░░░░  50 % · 25.0 MB/s · 2 s left"],
    [1_000_000, 1_000_000_000, 1, "░░░░░░░░░░░░░░░░░░░░   0 % · 1.0 MB/s · 16 min left"],
    [200, 100, 10, "████████████████████ 100 % · 20 bytes/s · 0 s left"],
    [0, 0, 5, "░░░░░░░░░░░░░░░░░░░░   0 %"],
  ])("shows %d of %d bytes after %d s", (done, total, seconds, text) => {
    expect(barText(done, total, seconds)).toBe(text);
  });
});

describe("a status line", () => {
  it("is shown on a terminal only, fits it, and is cleared at the end", () => {
    let shown = "";
    const stream = {
      isTTY: true,
      columns: 20,
      write: (text: string) => {
        shown += text;
        return true;
      },
    };
    let nowMs = 1000;
    const line = statusLine({ json: false }, stream, () => nowMs);
    line.show("Importing 1 of 2 files");
    nowMs = 1050;
    line.show("too soon");
    expect(shown).toBe("\r\u001b[KImporting 1 of 2 fi");
    line.clear();
    expect(shown.endsWith("\r\u001b[K")).toBe(true);
    const before = shown;
    statusLine({ json: true }, stream, () => nowMs).show("Importing");
    expect(shown).toBe(before);
  });
});
