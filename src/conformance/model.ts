/**
 * Random operations against a plain model: in any order,
 * with reopening in between, the store must agree with an array.
 */
import assert from "node:assert/strict";
import type { Conversation } from "../store/conversation.ts";
import type { Store } from "../store/store.ts";
import { allMessages, type Bench, refuses, type Topic, texts } from "./kit.ts";
import { randomFrom } from "./random.ts";

interface Modelled {
  readonly id: string;
  readonly key: string | null;
  title: string | null;
  deleted: boolean;
  readonly contents: string[];
}

const SEEDS = [1, 2, 3, 4, 5, 6];
const STEPS = 120;

class Run {
  readonly #bench: Bench;
  readonly #random: (below: number) => number;
  readonly #model: Modelled[] = [];
  #store: Store;
  #step = 0;

  constructor(bench: Bench, store: Store, seed: number) {
    this.#bench = bench;
    this.#store = store;
    this.#random = randomFrom(seed);
  }

  async go(): Promise<void> {
    const steps = [
      this.#create,
      this.#append,
      this.#append,
      this.#append,
      this.#retry,
      this.#rename,
      this.#delete,
      this.#restore,
      this.#reopen,
    ];
    for (; this.#step < STEPS; this.#step++) {
      await (steps[this.#random(steps.length)] as () => Promise<void>).call(this);
    }
    await this.#compare();
  }

  async #create(): Promise<void> {
    const key = this.#random(2) === 0 ? null : `web:${this.#random(5)}`;
    const taken = this.#model.find((known) => known.key === key && key !== null && !known.deleted);
    if (taken !== undefined && key !== null) {
      assert.equal((await this.#store.open(key)).id, taken.id);
      await refuses("CONFLICT", this.#store.create({ key }));
      return;
    }
    const { id } = key === null ? await this.#store.create() : await this.#store.open(key);
    this.#model.push({ id, key, title: null, deleted: false, contents: [] });
  }

  async #append(): Promise<void> {
    const [known, chat] = await this.#pick();
    if (known === undefined || chat === undefined) return;
    const contents = Array.from({ length: 1 + this.#random(4) }, (_, n) => `step ${this.#step}, ${n}`);
    await chat.append(contents.map((content) => ({ role: "user", content })));
    known.contents.push(...contents);
  }

  async #retry(): Promise<void> {
    const [known, chat] = await this.#pick();
    if (known === undefined || chat === undefined) return;
    const content = `retried in step ${this.#step}`;
    const operationId = `op-${this.#step}`;
    const first = await chat.append({ role: "user", content }, { operationId });
    if (this.#random(2) === 0) await this.#reopen();
    const again = await this.#store.get(known.id);
    known.contents.push(content);
    if (!this.#bench.persistent) return;
    const retried = await again?.append({ role: "user", content }, { operationId });
    assert.deepEqual(retried, { ...first, replayed: true });
  }

  async #rename(): Promise<void> {
    const [known, chat] = await this.#pick();
    if (known === undefined || chat === undefined) return;
    known.title = `title ${this.#step}`;
    await chat.update({ title: known.title });
  }

  async #delete(): Promise<void> {
    const [known] = await this.#pick();
    if (known === undefined) return;
    await this.#store.delete(known.id);
    known.deleted = true;
  }

  async #restore(): Promise<void> {
    const known = this.#model.find(({ deleted }) => deleted);
    if (known === undefined) return;
    const taken =
      known.key !== null && this.#model.some((other) => other.key === known.key && !other.deleted);
    if (taken) await refuses("CONFLICT", this.#store.restore(known.id));
    else {
      await this.#store.restore(known.id);
      known.deleted = false;
    }
  }

  async #reopen(): Promise<void> {
    if (!this.#bench.persistent) return;
    await this.#store.close();
    this.#store = await this.#bench.open({ durability: "process" });
  }

  async #pick(): Promise<[Modelled | undefined, Conversation | undefined]> {
    const live = this.#model.filter(({ deleted }) => !deleted);
    const known = live[this.#random(Math.max(1, live.length))];
    return [known, known === undefined ? undefined : await this.#store.get(known.id)];
  }

  async #compare(): Promise<void> {
    for (const known of this.#model.filter(({ deleted }) => !deleted)) {
      const chat = (await this.#store.get(known.id)) as Conversation;
      const info = await chat.info();
      assert.deepEqual(
        [info.key, info.title, info.messageCount],
        [known.key, known.title, known.contents.length],
      );
      assert.deepEqual(texts(await allMessages(chat)), known.contents);
    }
    for (const trash of [false, true]) {
      const listed = (await this.#store.list({ trash, limit: 1000 })).items.map(({ id }) => id);
      const expected = this.#model.filter(({ deleted }) => deleted === trash).map(({ id }) => id);
      assert.deepEqual(listed.toSorted(), expected.toSorted());
    }
    assert.deepEqual((await this.#store.verify()).findings, []);
  }
}

export const model: Topic = (check) => {
  for (const seed of SEEDS) {
    check(`random operations agree with an array (seed ${seed})`, async (bench) => {
      await new Run(bench, await bench.open({ durability: "process" }), seed).go();
    });
  }
};
