/** The state of reading a Codex file. */
import { defined, type JsonObject } from "../../../util/json.ts";
import { textIn } from "../../../util/values.ts";
import type { ConversationSink, Sink, SourceConversation } from "../../contract/reader.ts";
import { loadStart, saveStart } from "../shared/saved-state.ts";
import { CodexChain } from "./chain.ts";
import { CodexStep } from "./step.ts";

export interface CodexStart {
  readonly conversation: SourceConversation;
  /** The part of another file that this one continues. */
  readonly base: string | undefined;
  /** A file without events: every user item is a prompt. */
  readonly isBare: boolean;
}

export class CodexSession {
  readonly chain: CodexChain;
  readonly step: CodexStep;
  readonly isBare: boolean;
  readonly onUnknown: (type: string) => void;
  /** The file has model items, so turn items only repeat them. */
  hasItems: boolean;
  readonly #start: CodexStart;
  readonly #conversation: ConversationSink;
  #model: string | undefined;

  /** `saved`: where the reading of this file stopped, or where the file that it continues ends. */
  constructor(sink: Sink, start: CodexStart, saved: JsonObject) {
    const { base } = start;
    this.#start = start;
    this.isBare = start.isBare;
    this.onUnknown = (type) => sink.unknown(type);
    this.#conversation = sink.conversation(start.conversation);
    this.chain = new CodexChain(base === undefined ? "codex" : `codex ${base}`, saved.chain);
    const rootFlags = base === undefined ? undefined : ["history-elsewhere"];
    this.step = new CodexStep(this.#conversation, this.chain, rootFlags, saved.open);
    this.#model = textIn(saved.model);
    this.hasItems = saved.hasItems === true;
  }

  get model(): string | undefined {
    return this.#model;
  }

  changeModel(model: string | undefined): void {
    if (model === undefined || model === this.#model) return;
    this.#model = model;
    this.#conversation.update({ model });
  }

  /** A name that the user chose. That of a fork is not the name of the conversation. */
  entitle(name: string | undefined): void {
    const { sourceId, root } = this.#start.conversation;
    if (name !== undefined && root === sourceId) this.#conversation.update({ title: name });
  }

  /** After a rollback, the last added entry is not the one that is shown. */
  showLast(): void {
    if (this.chain.last !== null) this.#conversation.leaf(this.chain.last);
  }

  /** For a file that continues this one. */
  facts(): JsonObject {
    return defined({ chain: this.chain.state(), model: this.#model, hasItems: this.hasItems });
  }

  state(): JsonObject {
    const { conversation, base, isBare } = this.#start;
    return defined({
      conversation: saveStart(conversation),
      base,
      isBare,
      chain: this.chain.state(),
      open: this.step.state(),
      model: this.#model,
      hasItems: this.hasItems,
    });
  }

  /** The session of a saved state, if it is valid. */
  static restored(sink: Sink, state: JsonObject): CodexSession | undefined {
    const conversation = loadStart(state.conversation);
    if (conversation === undefined) return undefined;
    const start = { conversation, base: textIn(state.base), isBare: state.isBare === true };
    return new CodexSession(sink, start, state);
  }
}
