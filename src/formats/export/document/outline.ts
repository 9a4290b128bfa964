/** A conversation as the pieces of a readable document, in the order of reading. */
import { REMOVED_KIND } from "../../../message/entry.ts";
import type { StoredEntry } from "../../../message/types.ts";
import type { ExportEntry, Snapshot } from "../../../store/read/snapshot.ts";
import { Shape } from "../../../tree/branches.ts";
import { type Branch, liveBranches } from "../../../tree/tree.ts";
import { isJsonObject, type JsonObject } from "../../../util/json.ts";
import { type Cleaner, isLeftOut } from "../cleaning.ts";
import type { Wanted } from "../options.ts";
import { type CallNames, partsOf } from "./parts.ts";
import type { BranchRow, EventPiece, Piece } from "./pieces.ts";
import { timeText } from "./time-text.ts";

export async function* outline(
  snapshot: Snapshot,
  wanted: Wanted,
  cleaner: Cleaner,
): AsyncGenerator<Piece, void, undefined> {
  const rows = rowsOf(snapshot, cleaner);
  const chosen = snapshot.branch(wanted.branch);
  yield titleOf(snapshot, cleaner, wanted.all ? undefined : chosen);
  const walk = new Walk(snapshot, cleaner, wanted.all ? rows : []);
  if (!wanted.all) {
    yield* walk.entries(snapshot.path(chosen));
    return;
  }
  if (rows.length > 1) yield { type: "tree", branches: rows };
  for (const row of rows) {
    if (rows.length > 1) yield { type: "branch", branch: row };
    const branch = liveBranches(snapshot.tree).find(({ id }) => id === row.id) as Branch;
    yield* walk.entries(snapshot.own(branch));
  }
}

function titleOf({ info, branches }: Snapshot, cleaner: Cleaner, only: Branch | undefined): Piece {
  const others = branches.length - 1;
  const facts: readonly (readonly [string, string | null])[] = [
    ["Conversation", info.key ?? info.id],
    ["Id", info.key === null ? null : info.id],
    ["Model", info.model],
    ["Created", timeText(info.createdAt)],
    ["Last message", info.lastMessageAt === null ? null : timeText(info.lastMessageAt)],
    ["Messages", String(info.messageCount)],
    ["Branch", only === undefined || others === 0 ? null : `${only.name}; ${others} more are not shown here`],
    ["Branches", only === undefined && others > 0 ? String(branches.length) : null],
  ];
  return {
    type: "title",
    title: cleaner.text(info.title ?? info.key ?? "Conversation"),
    facts: facts.flatMap(([name, value]) => (value === null ? [] : [[name, cleaner.text(value)] as const])),
  };
}

/** Every branch after the one that it leaves; `main` first. */
function rowsOf({ tree, branches }: Snapshot, cleaner: Cleaner): BranchRow[] {
  const shape = new Shape(tree);
  const rows = liveBranches(tree).flatMap((branch): (BranchRow & { readonly under: number | null })[] => {
    const found = branches.find(({ name }) => name === branch.name);
    if (found === undefined) return [];
    const fork = shape.forkOf(branch);
    const { depth, entryCount, active, name, parent } = cleaner.branch(found);
    const forkSeq = fork === undefined || fork.forkSeq === 0 ? undefined : fork.forkSeq;
    return [{ id: branch.id, name, depth, entryCount, active, forkSeq, parent, under: fork?.parent ?? null }];
  });
  const children = Map.groupBy(rows, ({ under }) => under);
  const ordered: BranchRow[] = [];
  const waiting = [...(children.get(null) ?? [])].reverse();
  for (let row = waiting.pop(); row !== undefined && ordered.length < rows.length; row = waiting.pop()) {
    const { under: _under, ...shown } = row;
    ordered.push(shown);
    waiting.push(...[...(children.get(row.id) ?? [])].reverse());
  }
  return ordered;
}

class Walk {
  readonly #snapshot: Snapshot;
  readonly #cleaner: Cleaner;
  readonly #names: CallNames = new Map();
  readonly #labels: ReadonlyMap<string, string>;
  readonly #undone: ReadonlySet<string>;
  readonly #forks: ReadonlyMap<number | undefined, readonly BranchRow[]>;

  constructor(snapshot: Snapshot, cleaner: Cleaner, rows: readonly BranchRow[]) {
    this.#snapshot = snapshot;
    this.#cleaner = cleaner;
    this.#labels = new Map(snapshot.tree.labels);
    this.#undone = new Set(snapshot.tree.compactions.filter(({ undone }) => undone).map(({ id }) => id));
    this.#forks = Map.groupBy(
      rows.filter(({ forkSeq }) => forkSeq !== undefined),
      ({ forkSeq }) => forkSeq,
    );
  }

  async *entries(entries: AsyncIterable<ExportEntry>): AsyncGenerator<Piece, void, undefined> {
    for await (const entry of entries) {
      const piece = this.#piece(this.#cleaner.entry(entry));
      if (piece !== undefined) yield piece;
      const leaving = this.#forks.get(entry.seq);
      if (leaving !== undefined) yield { type: "fork", branches: leaving };
    }
  }

  #piece(entry: ExportEntry): Piece | undefined {
    const { seq, at, message } = entry;
    if (message === undefined) return this.#event(entry);
    if (isLeftOut(message)) return undefined;
    const parts = partsOf(message, this.#names);
    return { type: "message", seq, role: message.role, at, notes: this.#notes(entry), parts };
  }

  #notes({ id, message, flags = [] }: StoredEntry): string[] {
    const label = this.#labels.get(id);
    const { model, endState } = message ?? {};
    return [
      ...(model === undefined || model === this.#snapshot.info.model ? [] : [model]),
      ...(endState === undefined || endState === "finished" ? [] : [endState]),
      ...(label === undefined ? [] : [`label: ${this.#cleaner.text(label)}`]),
      ...flags,
    ];
  }

  #event({ id, seq, at, kind, data }: StoredEntry): EventPiece {
    const members = isJsonObject(data) ? data : {};
    const text = typeof members.summary === "string" ? members.summary : undefined;
    const title = titleOfEvent(kind, members, this.#undone.has(id));
    return {
      type: "event",
      seq,
      at,
      title,
      text: text ?? (title === kind ? JSON.stringify(data, null, 2) : undefined),
    };
  }
}

function titleOfEvent(kind: string, data: JsonObject, undone: boolean): string {
  if (kind === "compaction") {
    const count = typeof data.summarised === "number" ? ` of ${data.summarised} messages` : "";
    return `Compacted: a summary${count} replaces the earlier messages${undone ? " (undone)" : ""}`;
  }
  if (kind === "branch_summary") {
    return typeof data.branch === "string"
      ? `Summary of the branch ${data.branch}`
      : "Summary of another branch";
  }
  if (kind === "info" && data.type === "model" && typeof data.model === "string")
    return `Model: ${data.model}`;
  if (kind === "info" && data.type === "import") return `Imported from ${data.format}`;
  if (kind === "custom" && data.type === "unusable-message")
    return `A message of the ${data.role} without content`;
  if (kind === REMOVED_KIND) return "An entry that was removed with its branch";
  return kind;
}
