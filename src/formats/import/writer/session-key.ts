/** Decides which session key leads to an imported conversation, and with it which of its sources names it. */
import type { ConversationInfo } from "../../../engine/index.ts";
import { splitMark } from "../../../key/copies.ts";
import type { Replaced } from "../../../store/write/claim-key.ts";
import type { Ingest } from "../../../store/write/ingest.ts";
import type { JsonObject } from "../../../util/json.ts";
import type { SourceConversation } from "../../contract/reader.ts";
import type { RememberedConversation } from "../ledger/conversations.ts";
import { keyOf } from "./conversation-start.ts";
import { type Named, titleMark } from "./title.ts";

/** How one of its sources names a conversation. */
export type Naming = Pick<RememberedConversation, "sourceId" | "titleMark" | "createdAt" | "isCopy">;

/** A source that may have named it. */
type Source = Omit<Naming, "titleMark">;

interface SessionKeyOptions {
  readonly ingest: Ingest;
  readonly id: string;
  readonly format: string;
  /** As an earlier import of the file left it. */
  readonly remembered: RememberedConversation | undefined;
  /** An earlier import of the file was killed. */
  readonly isUnfinished: boolean;
  /** Another conversation has a different session key now, because this one was used later. */
  readonly replaced: (other: Replaced) => void;
  readonly onFlag: (flag: string) => void;
  /** The first entry of the conversation. */
  readonly introduction: () => Promise<JsonObject>;
  readonly others: () => readonly Naming[];
}

export class SessionKey {
  readonly #options: SessionKeyOptions;

  constructor(options: SessionKeyOptions) {
    this.#options = options;
  }

  /** The source's, or one made of its format and id if it has none, or one that no store can look for. */
  wanted(start: SourceConversation): string | null {
    const { ingest, format, onFlag } = this.#options;
    const key = keyOf(format, start);
    if (start.key === undefined || (key !== null && ingest.adoptKey(key) !== null)) return key;
    onFlag("bad-key");
    return keyOf(format, { ...start, key: undefined });
  }

  /** All entries of the file are there: `isNew` if the conversation is, too. */
  async settle(
    info: ConversationInfo,
    start: SourceConversation,
    isNew: boolean,
  ): Promise<{ readonly info: ConversationInfo; readonly named: Named }> {
    if (isNew) return { info: await this.#claim(info), named: "own" };
    const { isUnfinished, remembered } = this.#options;
    const settled = await this.#follow(isUnfinished ? await this.#claim(info) : info, start);
    if (!this.#isOfOther(settled.key, start)) {
      const wasTaken = isUnfinished && remembered === undefined && (await this.#wasOfOther(start));
      return { info: settled, named: wasTaken ? "taken" : "own" };
    }
    const taken = remembered === undefined ? await this.#takeOver(settled, start) : undefined;
    return taken === undefined ? { info: settled, named: "other" } : { info: taken, named: "taken" };
  }

  /** Only once, so that later imports do not move a key from one conversation to another and back. */
  async #claim(info: ConversationInfo): Promise<ConversationInfo> {
    const { ingest, id, replaced: tell, onFlag } = this.#options;
    // Another file may have claimed it since.
    const wanted = (await ingest.find(id))?.key ?? null;
    if (!isMarked(wanted)) return { ...info, key: wanted };
    const replaced = await ingest.claimKey(id);
    if (replaced !== undefined) tell(replaced);
    const key = (await ingest.find(id))?.key ?? null;
    if (isMarked(key)) onFlag("twin-key");
    return { ...info, key };
  }

  /** Another session key than before leads to it, as its source says. */
  async #follow(info: ConversationInfo, start: SourceConversation): Promise<ConversationInfo> {
    const { ingest, id, format, remembered, replaced: tell } = this.#options;
    const { key } = start;
    // One that another file of the tool did not know, and that nobody has.
    const isMissing = remembered === undefined && info.key === keyOf(format, { ...start, key: undefined });
    const isSame = remembered === undefined || titleMark(id, key ?? null) === remembered.keyMark;
    if ((isSame && !isMissing) || key === undefined || key === info.key) return info;
    const replaced = await ingest.moveKey(id, key, isMissing);
    if (replaced !== undefined) tell(replaced);
    return { ...info, key: (await ingest.find(id))?.key ?? null };
  }

  /** The key was made of the id of another source, such as a session that this one is a fork of. */
  #isOfOther(key: string | null, start: SourceConversation): boolean {
    const { ingest, format } = this.#options;
    const own = start.key === undefined ? keyOf(format, start) : null;
    if (key === null || own === null || !key.startsWith(`${format}:`)) return false;
    return splitMark(key)[0] !== ingest.adoptKey(own);
  }

  /** An import that was killed took the key over, and may not have set the title. */
  async #wasOfOther({ sourceId }: SourceConversation): Promise<boolean> {
    const { source_id: first } = await this.#options.introduction();
    return typeof first === "string" && first !== sourceId;
  }

  /** A copy of this source was read before it. */
  async #takeOver(info: ConversationInfo, start: SourceConversation): Promise<ConversationInfo | undefined> {
    const { ingest, id, format } = this.#options;
    const namer = await this.#namerOf(info);
    const own = keyOf(format, start);
    if (namer === undefined || own === null || !isCopyOf(namer, start)) return undefined;
    await ingest.moveKey(id, own, true);
    return { ...info, key: (await ingest.find(id))?.key ?? null };
  }

  /** The source that the key was made of: the first that was read, or one that took the key over. */
  async #namerOf({ key, createdAt }: ConversationInfo): Promise<Source | undefined> {
    const { ingest, format, introduction, others } = this.#options;
    const { source_id: sourceId, copy } = await introduction();
    const first = { createdAt: Date.parse(createdAt), ...(copy === true && { isCopy: copy }) };
    const sources = [...(typeof sourceId === "string" ? [{ sourceId, ...first }] : []), ...others()];
    return sources.find((source) => {
      const own = keyOf(format, { sourceId: source.sourceId });
      return own !== null && key === ingest.adoptKey(own);
    });
  }
}

/** Version 1.0 of Claude Code gave the lines of a copy its own times; others leave traces in front of them. */
export function isCopyOf(one: Source, other: Source): boolean {
  const isLater =
    one.createdAt !== undefined && other.createdAt !== undefined && one.createdAt > other.createdAt;
  return isLater || (one.isCopy === true && other.isCopy !== true);
}

function isMarked(key: string | null): boolean {
  return key !== null && splitMark(key)[1] !== "";
}
