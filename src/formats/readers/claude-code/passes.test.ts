import { describe, expect, it } from "vitest";
import { fc } from "../../../../test/support/fast-check.ts";
import { RecordingSink, readLines, surroundings } from "../../../../test/support/samples/recording-sink.ts";
import type { Json } from "../../../util/json.ts";
import type { SourceEntry } from "../../contract/reader.ts";
import { claudeCode } from "./index.ts";

const SESSION = "5e550000-0000-4000-8000-000000000000";
type Lines = readonly object[];

const line = (type: string, uuid: string, parentUuid: string | null, message: object) => ({
  ...{ type, uuid, parentUuid, sessionId: SESSION, message },
});
const user = (uuid: string, parent: string | null, content: unknown) =>
  line("user", uuid, parent, { role: "user", content });
const answer = (uuid: string, parent: string | null, id: string, block: object) =>
  line("assistant", uuid, parent, { id, role: "assistant", content: [block] });
const call = (uuid: string, parent: string | null, id: string, tool: string) =>
  answer(uuid, parent, id, { type: "tool_use", id: tool, name: "Bash", input: {} });
const result = (uuid: string, parent: string, tool: string) =>
  user(uuid, parent, [{ type: "tool_result", tool_use_id: tool, content: "done" }]);
const note = (uuid: string, parent: string | null) => ({
  ...{ type: "progress", uuid, parentUuid: parent, sessionId: SESSION },
});

/** Each part in a separate pass, all of which end like a single import. */
function readPasses(...passes: readonly Lines[]): RecordingSink {
  const sink = new RecordingSink();
  let state: Json | undefined;
  let lines = 0;
  for (const pass of passes) {
    const reader = claudeCode.lines.open(sink, surroundings("session.jsonl"), state);
    readLines(reader, pass.map((record) => JSON.stringify(record)).join("\n"), lines + 1);
    reader.end(true);
    state = JSON.parse(JSON.stringify(reader.state())) as Json;
    lines += pass.length;
  }
  return sink;
}

const entriesOf = (sink: RecordingSink): readonly SourceEntry[] => sink.conversations[0]?.entries ?? [];

function labelsOf({ message }: SourceEntry): string[] {
  const content = message?.content ?? "";
  if (typeof content === "string") return [content];
  return content.map(({ type, id, text, tool_use_id: answered }) =>
    type === "tool_result" ? `${answered} result` : String(text ?? id),
  );
}

/** The path to the entry that was added last, block by block. */
function activePath(sink: RecordingSink): string[] {
  const byName = new Map<string, SourceEntry>();
  for (const entry of entriesOf(sink)) {
    for (const name of [entry.id, ...(entry.aliases ?? [])]) byName.set(name, entry);
  }
  const path: string[] = [];
  let at = entriesOf(sink).at(-1);
  while (at !== undefined) {
    path.unshift(...labelsOf(at));
    at = at.parent == null ? undefined : byName.get(at.parent);
  }
  return path;
}

/** Results may be between the parts of an answer that was split: here they come after it, as in one pass. */
function regrouped(path: readonly string[]): string[] {
  const groups: { key: string | undefined; blocks: string[]; results: string[] }[] = [];
  for (const label of path) {
    const [key] = label.split(" ", 1);
    if (groups.at(-1)?.key !== key) groups.push({ key, blocks: [], results: [] });
    groups.at(-1)?.[label.endsWith(" result") ? "results" : "blocks"].push(label);
  }
  return groups.flatMap(({ blocks, results }) => [...blocks, ...results]);
}

function branches(sink: RecordingSink): number {
  const parents = entriesOf(sink).map(({ parent }) => parent);
  return parents.length - new Set(parents).size;
}

describe("an answer that continues in the next pass", () => {
  it("has the results of all its calls on one path", () => {
    const sink = readPasses(
      [user("u1", null, "Go"), call("a0", "u1", "m1", "t0")],
      [
        ...[call("a1", "a0", "m1", "t1"), result("r0", "a0", "t0"), result("r1", "a1", "t1")],
        answer("a2", "r1", "m2", { type: "text", text: "Done" }),
      ],
    );
    expect(activePath(sink)).toEqual(["Go", "t0", "t1", "t0 result", "t1 result", "Done"]);
    expect(branches(sink)).toBe(0);
  });

  it("follows a result that was added before it", () => {
    const sink = readPasses(
      [user("u1", null, "Go"), call("a0", "u1", "m1", "t0"), result("r0", "a0", "t0")],
      [call("a1", "a0", "m1", "t1"), result("r1", "a1", "t1")],
      [answer("a2", "r0", "m2", { type: "text", text: "Done" })],
    );
    expect(activePath(sink)).toEqual(["Go", "t0", "t0 result", "t1", "t1 result", "Done"]);
    expect(branches(sink)).toBe(0);
  });

  it("is whole for who names its beginning", () => {
    const sink = readPasses(
      [answer("a0", null, "m1", { type: "text", text: "One" }), note("p", "a0")],
      [answer("a1", "p", "m1", { type: "text", text: "Two" }), user("u", "p", "Go on")],
    );
    expect(activePath(sink)).toEqual(["One", "Two", "Go on"]);
  });

  it("is not continued by a copy of one of its lines", () => {
    const said = answer("a0", null, "m1", { type: "text", text: "One" });
    const [first, second] = entriesOf(readPasses([said], [said]));
    expect(second).toMatchObject({ id: first?.id, parent: null });
  });

  it("is over once something else was said", () => {
    const sink = readPasses(
      [answer("a0", null, "m1", { type: "text", text: "One" })],
      [user("u", "a0", "Wait"), answer("a1", "a0", "m1", { type: "text", text: "Two" })],
    );
    expect(entriesOf(sink).map(({ parent }) => parent)).toEqual([null, "a0", "a0"]);
  });

  it("is known in a state that also holds a part of it back", () => {
    const sink = new RecordingSink();
    const open = (state?: Json) => claudeCode.lines.open(sink, surroundings("session.jsonl"), state);
    const take = (reader: ReturnType<typeof open>, isLast: boolean, record: object) => {
      readLines(reader, JSON.stringify(record));
      reader.end(isLast);
      return open(JSON.parse(JSON.stringify(reader.state())));
    };
    const second = take(open(), true, call("a0", null, "m1", "t0"));
    const third = take(second, false, call("a1", "a0", "m1", "t1"));
    take(third, true, result("r0", "a0", "t0"));
    expect(activePath(sink)).toEqual(["t0", "t1", "t0 result"]);
  });
});

interface Answer {
  readonly blocks: readonly ("text" | "call")[];
  /** Whether the result of a call comes before the next line of the answer. */
  readonly early: readonly boolean[];
  /** Results come in this order, each hanging on its call or on the one before. */
  readonly order: number;
  readonly chained: boolean;
  readonly isCutOff: boolean;
  /** Which of the results the next line names. */
  readonly next: number;
  readonly noted: boolean;
}
interface Turn {
  readonly fork: number | null;
  readonly answers: readonly Answer[];
}

const answers: fc.Arbitrary<Answer> = fc.record({
  blocks: fc.array(fc.constantFrom("text" as const, "call" as const), { minLength: 1, maxLength: 4 }),
  early: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  ...{
    order: fc.nat(5),
    chained: fc.boolean(),
    isCutOff: fc.boolean(),
    next: fc.nat(3),
    noted: fc.boolean(),
  },
});
const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    fork: fc.option(fc.nat(4), { freq: 4 }),
    answers: fc.array(answers, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 5 },
);

/** A session as Claude Code writes it. */
class Session {
  readonly lines: object[] = [];
  #tip: string | null = null;
  #count = 0;

  constructor(all: readonly Turn[]) {
    const places: (string | null)[] = [];
    for (const { fork, answers: said } of all) {
      places.push(this.#tip);
      if (fork !== null) this.#tip = places[fork % places.length] ?? null;
      this.#add((uuid) => user(uuid, this.#tip, `prompt-${uuid} `));
      for (const one of said) this.#answer(one);
    }
  }

  #add(make: (uuid: string) => object): string {
    const uuid = `id${this.#count++}`;
    this.lines.push(make(uuid));
    this.#tip = uuid;
    return uuid;
  }

  #answer({ blocks, early, order, chained, isCutOff, next, noted }: Answer): void {
    const id = `m${this.#count}`;
    const open: (readonly [string, string])[] = [];
    const results: string[] = [];
    const answerOne = ([uuid, tool]: readonly [string, string]) => {
      const tip = this.#tip;
      const parent = chained ? (results.at(-1) ?? uuid) : uuid;
      results.push(this.#add((own) => result(own, parent, tool)));
      this.#tip = tip;
    };
    for (const [index, kind] of blocks.entries()) {
      const label = `${id} ${index}`;
      const parent = this.#tip;
      const uuid = this.#add((own) =>
        kind === "call"
          ? call(own, parent, id, label)
          : answer(own, parent, id, { type: "text", text: label }),
      );
      if (kind === "call") open.push([uuid, label]);
      if (noted) this.#add((own) => note(own, uuid));
      if (early[index] === true) open.splice(0).forEach(answerOne);
    }
    if (isCutOff) open.pop();
    while (open.length > 0) open.splice(order % open.length, 1).forEach(answerOne);
    this.#tip = results.at(-1 - (next % Math.max(1, results.length))) ?? this.#tip;
  }
}

it("a session that is read in several passes has the path and the branches of one that is read at once", () => {
  const cuts = fc.array(fc.nat(60), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(turns, cuts, (said, at) => {
      const { lines } = new Session(said);
      const ends = [...at.map((cut) => cut % lines.length), lines.length].sort((a, b) => a - b);
      const passes = ends.map((end, index) => lines.slice(ends[index - 1] ?? 0, end));
      const [whole, parts] = [readPasses(lines), readPasses(...passes)];
      expect(regrouped(activePath(parts))).toEqual(regrouped(activePath(whole)));
      expect(branches(parts)).toBe(branches(whole));
    }),
    { numRuns: 500 },
  );
});

describe("a session that begins with the output of a hook", () => {
  const at = (time: string) => ({ timestamp: `2026-11-19T04:37:${time}Z`, sessionId: SESSION });
  const queued = { type: "queue-operation", operation: "enqueue", ...at("46.191") };
  const attachment = { type: "hook_success", content: "ready" };
  const hook = { type: "attachment", uuid: "h", parentUuid: null, attachment, ...at("46.178") };

  it.each([
    ["its own", "46.223", undefined],
    ["an older one, of which it is a copy", "45.000", true],
  ])("is opened by its first message, also in a later pass, when that is %s", (_, time, isCopy) => {
    const prompt = { ...user("u", "h", "Hello"), ...at(time) };
    const sink = new RecordingSink();
    let state: Json | undefined;
    for (const [index, lines] of [[queued, hook], [prompt]].entries()) {
      const reader = claudeCode.lines.open(sink, surroundings("session.jsonl"), state);
      readLines(reader, lines.map((record) => JSON.stringify(record)).join("\n"), 1);
      reader.end(false);
      state = JSON.parse(JSON.stringify(reader.state())) as Json;
      expect(sink.conversations).toHaveLength(index);
    }
    const [session] = sink.conversations;
    expect(session?.start).toMatchObject({ root: "h", createdAt: Date.parse(hook.timestamp) });
    expect(session?.start.isCopy).toBe(isCopy);
    expect([session?.notes.length, ...sink.lines()]).toEqual([2, "user: Hello"]);
  });

  it("is kept when no message follows", () => {
    const sink = readPasses([queued, hook]);
    expect(sink.conversations.map(({ start, notes }) => [start.root, notes.length])).toEqual([["h", 2]]);
  });
});
