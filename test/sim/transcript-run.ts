import { isDeepStrictEqual } from "node:util";
import { ColloquyError } from "../../src/errors.ts";
import type { Message } from "../../src/message/types.ts";
import { ConversationAlreadyExistsError } from "../../src/transcript/conversation-errors.ts";
import { Transcript } from "../../src/transcript/transcript.ts";
import { FOLDER, Lives } from "./lives.ts";
import { brief, someMessage } from "./messages.ts";
import type { Faults } from "./simulated-disk.ts";

const STEPS_MAX = 25;
const CHANGES_BEFORE_CRASH_MAX = 90;

interface Expected {
  /** `initialize` has returned. */
  exists: boolean;
  messages: Message[];
  model: string | null;
  /** What a call that never returned would have led to; either is right after the crash. */
  otherMessages: Message[] | undefined;
  otherModel: string | undefined;
}

/** Several lives of one transcript, each ended by a power cut, checked against a plain list. */
export class TranscriptRun extends Lives {
  readonly #expected: Expected = {
    exists: false,
    messages: [],
    model: null,
    otherMessages: undefined,
    otherModel: undefined,
  };
  #nowMs = Date.UTC(2026, 0, 1);
  #number = 0;

  /** `lie`: faults that the disk has all the time, for the controls. */
  constructor(seed: number, lie: Faults = {}) {
    super(seed, lie, CHANGES_BEFORE_CRASH_MAX);
  }

  protected override live(): void {
    // Two programs with the same conversation, who take turns.
    const chats = [this.#start(), this.#start()];
    for (let step = 0; step < STEPS_MAX; step++) {
      this.#nowMs += this.dice.pick([0, 1, 40, 1500]);
      const which = this.dice.chance(0.7) ? 0 : 1;
      const chat = chats[which] as Transcript;
      const choice = this.dice.next();
      if (choice < 0.7) this.#append(chat);
      else if (choice < 0.8) this.#update(chat);
      else if (choice < 0.9) chats[which] = this.#reload(chat);
      else this.#replace(chat);
    }
  }

  #new(): Transcript {
    return new Transcript(FOLDER, {
      io: this.disk,
      clock: () => this.#nowMs,
      random: this.dice.fill,
      onDamage: ({ reason }) => {
        if (!reason.startsWith("torn by a crash, set aside as")) throw new Error(`damage: ${reason}`);
      },
    });
  }

  #start(): Transcript {
    const chat = this.#new();
    if (!this.#expected.exists) {
      try {
        chat.initialize();
        this.#expected.exists = true;
        return chat;
      } catch (error) {
        // A first try that the power cut off may have got this far.
        if (!(error instanceof ConversationAlreadyExistsError)) throw error;
      }
    }
    chat.load();
    this.#expected.exists = true;
    return chat;
  }

  #reload(chat: Transcript): Transcript {
    if (this.dice.chance(0.5)) chat.close();
    return this.#start();
  }

  #append(chat: Transcript): void {
    const message = someMessage(this.dice, this.#number++);
    this.#expectMessages([...this.#expected.messages, message], () => chat.appendMessage(message));
    this.#same(chat.getMessages(), "in memory after an append");
  }

  #replace(chat: Transcript): void {
    const kept = this.dice.below(3);
    const messages = Array.from({ length: kept }, () => someMessage(this.dice, this.#number++));
    try {
      this.#expectMessages(messages, () => chat.replaceTranscript(messages));
    } catch (error) {
      // Another writer was faster; the object has seen its messages now.
      if (!(error instanceof ColloquyError) || error.code !== "CONFLICT") throw error;
      this.#expected.otherMessages = undefined;
    }
    this.#same(chat.getMessages(), "in memory after a replacement");
  }

  #expectMessages(then: Message[], call: () => void): void {
    const expected = this.#expected;
    expected.otherMessages = then;
    call();
    expected.messages = then;
    expected.otherMessages = undefined;
  }

  #update(chat: Transcript): void {
    const model = `model-${this.#number++}`;
    this.#expected.otherModel = model;
    chat.updateMetadata({ model });
    this.#expected.model = model;
    this.#expected.otherModel = undefined;
  }

  protected override inspect(): void {
    const expected = this.#expected;
    const chat = this.#new();
    let found: Message[];
    try {
      found = chat.load();
    } catch (error) {
      if (!expected.exists && error instanceof ColloquyError && error.code === "NOT_FOUND") return;
      throw error;
    }
    expected.exists = true;
    const message = someMessage(this.dice, this.#number++);
    const place = chat.appendMessage(message);
    // The append may have found a complete last line that only lacked its newline.
    found = chat.getMessages().slice(0, -1);
    if (expected.otherMessages !== undefined && isDeepStrictEqual(found, expected.otherMessages)) {
      expected.messages = expected.otherMessages;
    }
    expected.otherMessages = undefined;
    this.#same(found, "after the power cut");
    expected.messages = [...expected.messages, message];
    const again = this.#new();
    this.#same(again.load({ strict: true }), "after the first append");
    if (place.seq < expected.messages.length) throw new Error(`seq ${place.seq} was used before`);
    this.#inspectMetadata(again);
    chat.close();
    again.close();
    this.checkNothingIsLeft();
  }

  #inspectMetadata(chat: Transcript): void {
    const expected = this.#expected;
    const { model, messageCount } = chat.getMetadata();
    if (messageCount !== expected.messages.length) throw new Error(`messageCount is ${messageCount}`);
    if (model !== expected.model && model !== expected.otherModel) {
      throw new Error(`the model is ${model}, not ${expected.model}`);
    }
    expected.model = model;
    expected.otherModel = undefined;
  }

  #same(found: Message[], when: string): void {
    const wanted = this.#expected.messages;
    if (!isDeepStrictEqual(found, wanted))
      throw new Error(`${when}: ${brief(found)} instead of ${brief(wanted)}`);
  }
}
