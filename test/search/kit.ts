import { join } from "node:path";
import { type ColloquyError, openStore, type Store } from "../../src/index.ts";
import { tempFolder } from "../support/temp-folder.ts";

type EngineName = "sqlite" | "jsonl";

export function say(...texts: string[]): { role: "user"; content: string }[] {
  return texts.map((content) => ({ role: "user", content }));
}

/** A store in a folder of its own, and the file of its index. */
export class Place {
  readonly folder: string = tempFolder();
  readonly engine: EngineName;
  readonly problems: ColloquyError[] = [];

  constructor(engine: EngineName) {
    this.engine = engine;
  }

  get target(): string {
    return `${this.engine}:${join(this.folder, "store")}`;
  }

  get index(): string {
    return join(this.folder, this.engine === "jsonl" ? "store/search.db" : "store-search");
  }

  open(options: { readonly readonly?: boolean; readonly worker?: boolean } = {}): Promise<Store> {
    return openStore(this.target, { ...options, onProblem: (problem) => this.problems.push(problem) });
  }
}

/** The messages that a query finds by their own words, on all pages. */
export async function found(store: Store, text: string): Promise<string[]> {
  const all: string[] = [];
  for await (const { snippet, highlights } of store.search(text))
    if (highlights.length > 0) all.push(snippet);
  return all.sort();
}
