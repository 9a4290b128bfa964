import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "../temp-folder.ts";

/** Three legacy files that spell one session key in three ways; `two` was used last, `one` first. */
const TWINS = [
  ["one", "CLI:Default", "2025-01-01T10:00:00Z", "2025-03-05T10:00:00Z"],
  ["two", "cli:local", "2025-01-02T10:00:00Z", "2025-03-09T10:00:00Z"],
  ["three", "cli:default", "2025-01-03T10:00:00Z", "2025-03-07T10:00:00Z"],
] as const;

export function legacyTwins(): string {
  const folder = join(tempFolder(), "sessions");
  mkdirSync(folder);
  for (const [name, key, created_at, timestamp] of TWINS) {
    const lines = [
      { _type: "metadata", created_at, key },
      { role: "user", content: name, timestamp },
    ];
    writeFileSync(join(folder, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  return folder;
}
