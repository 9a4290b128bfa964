/**
 * Random operations on one tree, with reopening in between: every branch
 * must match the parents of its entries, and contain what was written to it.
 */
import assert from "node:assert/strict";
import type { Entry } from "../message/types.ts";
import type { Conversation } from "../store/conversation.ts";
import type { Store } from "../store/store.ts";
import { allMessages, type Bench, idOf, refuses, say, type Topic, texts } from "./kit.ts";
import { randomFrom } from "./random.ts";

const SEEDS = [1, 2, 3, 4];
const STEPS = 60;

class Run {
  readonly #bench: Bench;
  readonly #random: (below: number) => number;
  /** The texts of the messages of each branch. */
  readonly #written = new Map<string, string[]>([["main", []]]);
  #store: Store;
  #chat: Conversation;
  #active = "main";
  #step = 0;

  static async start(bench: Bench, seed: number): Promise<Run> {
    const store = await bench.open({ durability: "process" });
    return new Run(bench, seed, store, await store.open("web:tree"));
  }

  private constructor(bench: Bench, seed: number, store: Store, chat: Conversation) {
    this.#bench = bench;
    this.#random = randomFrom(seed);
    this.#store = store;
    this.#chat = chat;
  }

  async go(): Promise<void> {
    const steps = [
      ...[this.#append, this.#append, this.#appendTo, this.#branch, this.#branch, this.#edit],
      ...[this.#checkout, this.#flatten, this.#prune, this.#label, this.#replace, this.#reopen],
    ];
    for (; this.#step < STEPS; this.#step++) {
      await (steps[this.#random(steps.length)] as () => Promise<void>).call(this);
      if (this.#step % 10 === 9) await this.#compare();
    }
    await this.#compare();
  }

  async #append(): Promise<void> {
    const contents = this.#contents();
    await this.#chat.append(say(...contents));
    this.#written.get(this.#active)?.push(...contents);
  }

  async #appendTo(): Promise<void> {
    const [branch, contents] = [this.#pick(), this.#contents()];
    await this.#chat.append(say(...contents), { branch });
    this.#written.get(branch)?.push(...contents);
  }

  async #branch(): Promise<void> {
    const [from, before] = await this.#fork();
    const [name, checkout] = [`b${this.#step}`, this.#random(2) === 0];
    if (await this.#tooDeep(this.#chat.branch(from, { name, checkout }))) return;
    this.#written.set(name, before);
    if (checkout) this.#active = name;
  }

  async #edit(): Promise<void> {
    const [from, before] = await this.#fork();
    const contents = this.#contents();
    const name = `edit${this.#step}`;
    if (from === null) return;
    if (await this.#tooDeep(this.#chat.edit(from, say(...contents), { name }))) return;
    this.#written.set(name, [...before.slice(0, -1), ...contents]);
    this.#active = name;
  }

  async #checkout(): Promise<void> {
    this.#active = this.#pick();
    await this.#chat.checkout(this.#active);
  }

  async #flatten(): Promise<void> {
    await this.#chat.flatten();
    if (this.#active === "main") return;
    await this.#becomeMain(this.#written.get(this.#active) as string[]);
    this.#written.delete(this.#active);
    this.#active = "main";
  }

  async #replace(): Promise<void> {
    const contents = this.#contents();
    await this.#chat.replaceTranscript(say(...contents));
    await this.#becomeMain(contents);
    this.#active = "main";
  }

  /** The store chooses the name of the previous main. */
  async #becomeMain(contents: string[]): Promise<void> {
    const former = (await this.#chat.branches()).find(
      ({ name }) => !this.#written.has(name) && name !== this.#active,
    );
    assert.ok(former !== undefined, "The former main is gone");
    this.#written.set(former.name, this.#written.get("main") as string[]);
    this.#written.set("main", contents);
  }

  async #prune(): Promise<void> {
    const name = this.#pick();
    if (name === "main" || name === this.#active) {
      await refuses("VALIDATION_ERROR", this.#chat.pruneBranches({ names: [name] }));
      return;
    }
    await this.#chat.pruneBranches({ names: [name] });
    this.#written.delete(name);
  }

  async #label(): Promise<void> {
    const [from] = await this.#fork();
    if (from !== null) await this.#chat.label(from, `step ${this.#step}`);
  }

  async #reopen(): Promise<void> {
    if (!this.#bench.persistent) return;
    await this.#store.close();
    this.#store = await this.#bench.open({ durability: "process" });
    this.#chat = await this.#store.open("web:tree");
  }

  async #tooDeep(work: Promise<unknown>): Promise<boolean> {
    try {
      await work;
      return false;
    } catch (error) {
      assert.equal((error as { field?: string }).field, "depth", String(error));
      return true;
    }
  }

  /** A random entry, and the texts up to it. */
  async #fork(): Promise<[string | null, string[]]> {
    const name = this.#pick();
    const entries = await allMessages(this.#chat, { branch: name });
    const place = this.#random(entries.length + 1);
    const before = (this.#written.get(name) as string[]).slice(0, place);
    return [place === 0 ? null : idOf(entries[place - 1]), before];
  }

  #pick(): string {
    const names = [...this.#written.keys()];
    return names[this.#random(names.length)] as string;
  }

  #contents(): string[] {
    return Array.from({ length: 1 + this.#random(3) }, (_, n) => `step ${this.#step}, ${n}`);
  }

  async #compare(): Promise<void> {
    const branches = await this.#chat.branches();
    assert.deepEqual(branches.map(({ name }) => name).toSorted(), [...this.#written.keys()].toSorted());
    assert.deepEqual(
      branches.filter(({ active }) => active).map(({ name }) => name),
      [this.#active],
    );
    const all = new Map((await this.#all()).map((entry) => [entry.id, entry]));
    for (const { name, head } of branches) {
      const entries = await allMessages(this.#chat, { branch: name, limit: 7 });
      assert.deepEqual(texts(entries), this.#written.get(name), `seed and step: ${this.#step}, ${name}`);
      assert.deepEqual(ids(chain(all, head)), ids(entries));
    }
    const reachable = new Set(branches.flatMap(({ head }) => ids(chain(all, head))));
    const info = await this.#chat.info();
    assert.deepEqual([info.messageCount, info.branchCount], [reachable.size, branches.length]);
    assert.equal(info.head, branches.find(({ active }) => active)?.head);
    assert.deepEqual((await this.#store.verify()).findings, []);
  }

  async #all(): Promise<Entry[]> {
    const { items, cursor } = await this.#chat.entries({ all: true, limit: 10_000 });
    assert.equal(cursor, null);
    return items;
  }
}

/** From the first entry to this one, by parents. */
function chain(all: ReadonlyMap<string, Entry>, head: string | null): Entry[] {
  const found: Entry[] = [];
  for (let id = head; id !== null; ) {
    const entry = all.get(id);
    assert.ok(entry !== undefined, `Entry ${id} is gone`);
    found.unshift(entry);
    id = entry.parentId;
  }
  return found;
}

function ids(entries: readonly Entry[]): string[] {
  return entries.map(({ id }) => id);
}

export const treeModel: Topic = (check) => {
  for (const seed of SEEDS) {
    check(`random operations agree with a tree of parents (seed ${seed})`, async (bench) => {
      await (await Run.start(bench, seed)).go();
    });
  }
};
