import type { Finding } from "./queries.ts";

/** So many findings of one kind are listed for each conversation. */
const LISTED_MAX = 20;

/** Collects findings. Of many of one kind in one conversation, only the first are listed, and the rest are counted. */
export class FindingList {
  readonly #listed: Finding[] = [];
  readonly #kinds = new Map<string, { count: number; readonly first: Finding }>();

  add(finding: Finding): void {
    const { code, conversation, count = 1 } = finding;
    const key = `${code} ${conversation}`;
    const kind = this.#kinds.get(key) ?? { count: 0, first: finding };
    this.#kinds.set(key, kind);
    kind.count += count;
    if (kind.count <= LISTED_MAX) this.#listed.push(finding);
  }

  addAll(findings: Iterable<Finding>): void {
    for (const finding of findings) this.add(finding);
  }

  list(): Finding[] {
    return [...this.#listed, ...this.#rest()];
  }

  *#rest(): Generator<Finding> {
    for (const { count, first } of this.#kinds.values()) {
      const more = count - LISTED_MAX;
      if (more <= 0) continue;
      const message = `and ${more.toLocaleString("en-US")} more`;
      yield { ...first, line: null, message, count: more };
    }
  }
}

/** The number of findings, including those that are only counted. */
export function countFindings(findings: readonly Finding[]): number {
  return findings.reduce((sum, { count = 1 }) => sum + count, 0);
}
