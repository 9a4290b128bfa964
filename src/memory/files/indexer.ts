import { statSync } from "node:fs";
import { resolve } from "node:path";
import { chunkMarkdown } from "../chunk/markdown.ts";
import { withoutRecalled } from "../chunk/recalled.ts";
import type { MemoryFile } from "../database/memory-file.ts";
import { readMarkdown, stampOf } from "./read-markdown.ts";
import { markdownFiles } from "./walk.ts";

export interface IndexOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly files: number; readonly path: string }) => void;
}

export interface IndexReport {
  readonly files: number;
  /** Of these, the ones that were not read again. */
  readonly unchanged: number;
  readonly added: number;
  readonly removed: number;
  /** Files that could not be indexed, and why. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

const FILE_IMPORTANCE = 0.5;

/** Brings the chunks of Markdown files up to date. */
export class Indexer {
  readonly #file: MemoryFile;
  readonly #nowMs: () => number;

  constructor(file: MemoryFile, nowMs: () => number) {
    this.#file = file;
    this.#nowMs = nowMs;
  }

  /** Index the files at and below these paths, and remove those that are gone. Each file is one transaction. */
  async index(paths: readonly string[], { signal, onProgress }: IndexOptions): Promise<IndexReport> {
    const report = {
      files: 0,
      unchanged: 0,
      added: 0,
      removed: 0,
      skipped: [] as { path: string; reason: string }[],
    };
    for (const path of paths) {
      const seen = new Set<string>();
      for (const name of markdownFiles(path)) {
        signal?.throwIfAborted();
        seen.add(name);
        report.files++;
        onProgress?.({ files: report.files, path: name });
        const result = await this.#indexFile(name);
        if (result === "unchanged") report.unchanged++;
        else if ("reason" in result) report.skipped.push({ path: name, reason: result.reason });
        else report.added += result.added;
        if (typeof result === "object") report.removed += result.removed;
      }
      const gone = this.#file.chunks.filesBelow(resolve(path)).filter((name) => !seen.has(name));
      for (const name of gone) report.removed += await this.#removeFile(name);
    }
    return report;
  }

  async #indexFile(
    path: string,
  ): Promise<"unchanged" | { added: number; removed: number } | { reason: string; removed: number }> {
    const { chunks } = this.#file;
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    const stamp = stats === undefined ? "" : stampOf(stats, this.#nowMs());
    if (stamp !== "" && stamp === chunks.stampOf(path)) return "unchanged";
    const found = readMarkdown(path, this.#nowMs());
    if (found.kind === "gone") return { added: 0, removed: await this.#removeFile(path) };
    if (found.kind === "skipped") return { reason: found.reason, removed: await this.#removeFile(path) };
    const pieces = chunkMarkdown(withoutRecalled(found.text));
    const at = Math.min(this.#nowMs(), Number(stats?.mtimeMs ?? this.#nowMs()));
    const source = { name: path, kind: "file", stamp: found.stamp, at } as const;
    return this.#file.write(() =>
      chunks.replace({ ...source, importance: FILE_IMPORTANCE, provenance: null }, pieces),
    );
  }

  async #removeFile(path: string): Promise<number> {
    const { chunks } = this.#file;
    if (chunks.filesBelow(path).length === 0) return 0;
    return this.#file.write(() => {
      const rows = chunks.ofSource(path);
      for (const row of rows) chunks.remove(row);
      chunks.removeSource(path);
      return rows.length;
    });
  }
}
