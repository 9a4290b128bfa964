import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, textIn } from "../../../util/values.ts";
import { type Line, textOf, uuidIn } from "./line.ts";
import { Recent } from "./recent.ts";

/** Weakest first. Of two with equal strength the later one wins, except for prompts. */
const RANKS = ["first-prompt", "summary", "last-prompt", "ai-title", "custom-title"] as const;
type Rank = (typeof RANKS)[number];

const SEEN_MAX = 20_000;
const SEEN_SAVED_MAX = 500;
const SUMMARIES_MAX = 100;

/** Output of commands and similar, which the user did not write. */
const MARKUP = /^\s*(?:<[a-z][\w-]*>|\[Request interrupted)/;

/** Finds the title of a conversation in its file. */
export class Titles {
  #rank = -1;
  #title: string | undefined;
  #hasChanged = false;
  readonly #seen: Recent<true> = new Recent(SEEN_MAX);
  /** Summaries by the leaf that they describe, which may come later or be in another file. */
  readonly #summaries: Map<string, string> = new Map();

  constructor(saved?: Json) {
    const { rank, seen, summaries } = objectIn(saved) ?? {};
    this.#rank = numberIn(rank) ?? -1;
    for (const uuid of listIn(seen)) if (typeof uuid === "string") this.#seen.set(uuid, true);
    for (const item of listIn(summaries)) {
      const [leaf, summary] = listIn(item);
      if (typeof leaf === "string" && typeof summary === "string") this.#summaries.set(leaf, summary);
    }
  }

  /** A record beside the tree. */
  side({ type, customTitle, aiTitle, lastPrompt, summary, leafUuid }: JsonObject): void {
    if (type === "custom-title") this.#offer("custom-title", customTitle);
    else if (type === "ai-title") this.#offer("ai-title", aiTitle);
    else if (type === "last-prompt") this.#offer("last-prompt", firstLine(lastPrompt));
    else if (type === "summary") this.#summary(uuidIn(leafUuid), filledIn(summary));
  }

  /** A record of the tree. */
  tree(line: Line): void {
    const { uuid, kind, value } = line;
    if (uuid !== undefined) {
      this.#seen.set(uuid, true);
      this.#offer("summary", this.#summaries.get(uuid));
    }
    if (this.#rank >= 0 || kind !== "user" || value.isMeta === true) return;
    this.#offer("first-prompt", promptTitle(line));
  }

  /** The title, whenever it has changed. */
  changed(): string | undefined {
    const title = this.#hasChanged ? this.#title : undefined;
    this.#hasChanged = false;
    return title;
  }

  /** The title that the user gave, as the name of a branch. */
  get given(): string | undefined {
    const isGiven = this.#rank === RANKS.indexOf("custom-title");
    return isGiven ? this.#title?.replace(/\p{Cc}+/gu, " ").slice(0, 64) : undefined;
  }

  state(): JsonObject {
    return {
      rank: this.#rank,
      seen: this.#seen.last(SEEN_SAVED_MAX).map(([uuid]) => uuid),
      summaries: [...this.#summaries].map(([leaf, summary]) => [leaf, summary.slice(0, 200)]),
    };
  }

  #summary(leaf: string | undefined, summary: string | undefined): void {
    if (leaf === undefined || summary === undefined) return;
    if (this.#seen.has(leaf)) this.#offer("summary", summary);
    else if (this.#summaries.size < SUMMARIES_MAX) this.#summaries.set(leaf, summary);
  }

  #offer(name: Rank, value: Json | undefined): void {
    const rank = RANKS.indexOf(name);
    const title = filledIn(value);
    if (title === undefined || rank < this.#rank) return;
    this.#hasChanged ||= title !== this.#title;
    this.#rank = rank;
    this.#title = title;
  }
}

/** The first line of a prompt; `undefined` when the line is not a prompt. */
export function promptTitle(line: Line): string | undefined {
  if (line.kind !== "user" || line.answers.length > 0) return undefined;
  const text = textOf(line);
  return MARKUP.test(text) ? undefined : firstLine(text);
}

function firstLine(value: unknown): string | undefined {
  return filledIn(textIn(value)?.trim().split("\n", 1)[0]?.trim());
}
