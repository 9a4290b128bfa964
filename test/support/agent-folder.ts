import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FileIo, systemIo } from "../../src/disk/file-io.ts";
import type { SessionEntry } from "../../src/state/session-index/entry.ts";

/** A separate agent folder for each test. */
export class AgentFolder {
  readonly agentDir: string = mkdtempSync(join(tmpdir(), "colloquy-index-"));
  readonly path: string = join(this.agentDir, "sessions", "sessions.json");

  write(name: string, content: string | object): void {
    mkdirSync(join(this.agentDir, "sessions"), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
    writeFileSync(join(this.agentDir, "sessions", name), text);
  }

  /** What is on the disk. */
  read(): Record<string, SessionEntry> {
    return JSON.parse(readFileSync(this.path, "utf8"));
  }

  names(): string[] {
    return readdirSync(join(this.agentDir, "sessions")).filter((name) => !name.endsWith(".lock"));
  }

  [Symbol.dispose](): void {
    rmSync(this.agentDir, { recursive: true, force: true });
  }
}

export function entry(sessionId: string, updatedAt: number, fields: object = {}): SessionEntry {
  return { sessionId, updatedAt, ...fields };
}

/** The real disk, with some calls of our own, and a count of openings. */
export function countingIo(over: Partial<FileIo> = {}): FileIo & { opened: number } {
  const io = {
    ...systemIo,
    opened: 0,
    open(path: string, mode: "read" | "write" | "create"): number {
      if (path.endsWith("sessions.json") && mode === "read") io.opened++;
      return systemIo.open(path, mode);
    },
    ...over,
  };
  return io;
}
