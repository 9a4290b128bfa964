/**
 * What must be in a store, told from what writers reported.
 *
 * A step that was acknowledged must be there. One that began and was not may
 * be there or not, but never in part. Nothing may be there twice, changed, out
 * of a writer's order, or without a writer having begun it.
 */
import { type ConversationInfo, type Entry, type Store, textOf } from "../../src/index.ts";
import { contentOf, type Step, titleOf } from "./content.ts";

/** What is wrong, one line each. */
export interface Findings {
  readonly lost: string[];
  readonly duplicated: string[];
  readonly partial: string[];
  /** Altered, out of order, interleaved, invented. */
  readonly wrong: string[];
}

interface Known {
  readonly step: Step;
  acknowledgedNs: bigint | undefined;
}

export class Oracle {
  readonly #largest: number;
  readonly #steps = new Map<string, Known>();

  constructor(largest: number) {
    this.#largest = largest;
  }

  began(step: Step): void {
    this.#steps.set(nameOf(step), { step, acknowledgedNs: this.#steps.get(nameOf(step))?.acknowledgedNs });
  }

  acknowledged(step: Pick<Step, "writer" | "n">, ns: bigint): void {
    const known = this.#steps.get(nameOf(step));
    if (known === undefined) throw new Error(`${nameOf(step)} was acknowledged and never began`);
    // A step that is repeated keeps its first acknowledgement: from then on it must be there.
    known.acknowledgedNs ??= ns;
  }

  /** Steps that began and were not acknowledged: they may be done or not. */
  unfinished(): Step[] {
    return [...this.#steps.values()].flatMap(({ step, acknowledgedNs }) =>
      acknowledgedNs === undefined ? [step] : [],
    );
  }

  /** Acknowledged messages and other steps; those before `beforeNs` where it is given. */
  count(beforeNs?: bigint): { messages: number; steps: number } {
    let messages = 0;
    let steps = 0;
    for (const known of this.#steps.values()) {
      if (!counts(known, beforeNs)) continue;
      steps++;
      if (known.step.count > 0) messages += known.step.count;
    }
    return { messages, steps };
  }

  /** Compare with the content of a store. Acknowledgements at or after `beforeNs` do not count. */
  async check(store: Store, beforeNs?: bigint): Promise<Findings> {
    const findings: Findings = { lost: [], duplicated: [], partial: [], wrong: [] };
    const live = byKey(await everyConversation(store, false));
    const trash = byKey(await everyConversation(store, true));
    for (const [key, steps] of this.#byConversation()) {
      const info = live.get(key) ?? trash.get(key);
      if (info === undefined) {
        for (const known of steps) if (counts(known, beforeNs)) findings.lost.push(describe(known.step));
        continue;
      }
      this.#checkState(info, steps, findings, beforeNs);
      // Messages in the trash can be read only after a restore, which would be a write.
      if (live.has(key)) {
        this.#checkMessages(key, await everyMessage(store, info.id), steps, findings, beforeNs);
      }
    }
    return findings;
  }

  #byConversation(): Map<string, Known[]> {
    const grouped = new Map<string, Known[]>();
    for (const known of this.#steps.values()) {
      const list = grouped.get(known.step.conversation);
      if (list === undefined) grouped.set(known.step.conversation, [known]);
      else list.push(known);
    }
    return grouped;
  }

  /** Title and deletion. Only one writer does these to a conversation, so its last step is the truth. */
  #checkState(info: ConversationInfo, steps: Known[], findings: Findings, beforeNs?: bigint): void {
    const last = steps.findLast((known) => known.step.kind === "title" && counts(known, beforeNs));
    const titles = steps.filter(({ step }) => step.kind === "title" && step.n >= (last?.step.n ?? 0));
    const allowed: (string | null)[] = titles.map(({ step }) => titleOf(step));
    if (last === undefined) allowed.push(null);
    if (!allowed.includes(info.title)) {
      findings.lost.push(`title of ${info.key}: is ${info.title}, expected ${allowed.join(" or ")}`);
    }
    const deletion = steps.find(({ step }) => step.kind === "delete");
    if (deletion !== undefined && counts(deletion, beforeNs) && info.deletedAt === null) {
      findings.lost.push(describe(deletion.step));
    }
    if (deletion === undefined && info.deletedAt !== null) {
      findings.wrong.push(`${info.key} is in the trash, but no writer deleted it`);
    }
  }

  #checkMessages(
    key: string,
    entries: readonly Entry[],
    steps: readonly Known[],
    findings: Findings,
    beforeNs?: bigint,
  ): void {
    const places = this.#places(key, entries, findings);
    for (const known of steps) {
      const { step } = known;
      if (step.kind !== "append" && step.kind !== "turn") continue;
      const found = Array.from({ length: step.count }, (_, index) =>
        places.get(`${step.writer}/${step.first + index}`),
      );
      const present = found.filter((place) => place !== undefined).length;
      if (present < step.count && counts(known, beforeNs)) findings.lost.push(describe(step));
      if (present > 0 && present < step.count) findings.partial.push(`${describe(step)}: ${present}`);
      const start = found[0] ?? 0;
      if (present === step.count && found.some((place, index) => place !== start + index)) {
        findings.wrong.push(`${describe(step)} is interleaved with others`);
      }
      for (let index = 0; index < step.count; index++) places.delete(`${step.writer}/${step.first + index}`);
    }
    for (const name of places.keys()) findings.wrong.push(`${name} in ${key} was never begun`);
  }

  /** The position of each message. Reports messages that are altered, duplicated or out of their writer's order. */
  #places(key: string, entries: readonly Entry[], findings: Findings): Map<string, number> {
    const places = new Map<string, number>();
    const latest = new Map<string, number>();
    entries.forEach(({ message, id }, place) => {
      const content = message === undefined ? "" : textOf(message, { toolResults: true });
      const [, writer, digits] = /^([^/]+)\/(\d+): /.exec(content) ?? [];
      const whole = writer === undefined ? "" : contentOf(writer, Number(digits), this.#largest);
      // What a killed process left of its answer is the beginning of it, and marked.
      if (message?.endState === "interrupted" && content.length < whole.length && whole.startsWith(content))
        return;
      if (writer === undefined || content !== whole) {
        findings.wrong.push(`entry ${id} in ${key} is altered`);
        return;
      }
      const name = `${writer}/${digits}`;
      if (places.has(name)) findings.duplicated.push(`${name} in ${key}`);
      else if (Number(digits) < (latest.get(writer) ?? -1)) findings.wrong.push(`${name} in ${key} is late`);
      latest.set(writer, Math.max(latest.get(writer) ?? -1, Number(digits)));
      places.set(name, place);
    });
    return places;
  }
}

function counts({ acknowledgedNs }: Known, beforeNs: bigint | undefined): boolean {
  return acknowledgedNs !== undefined && (beforeNs === undefined || acknowledgedNs < beforeNs);
}

function nameOf({ writer, n }: Pick<Step, "writer" | "n">): string {
  return `${writer}#${n}`;
}

function describe(step: Step): string {
  const what = step.kind === "append" ? `append of ${step.count} from ${step.first}` : step.kind;
  return `${nameOf(step)}: ${what} in ${step.conversation}`;
}

function byKey(infos: readonly ConversationInfo[]): Map<string, ConversationInfo> {
  return new Map(infos.map((info) => [info.key ?? info.id, info]));
}

async function everyConversation(store: Store, trash: boolean): Promise<ConversationInfo[]> {
  return Array.fromAsync(store.list({ trash }));
}

async function everyMessage(store: Store, id: string): Promise<Entry[]> {
  const conversation = await store.get(id);
  return conversation === undefined ? [] : Array.fromAsync(conversation.messages({ all: true }));
}
