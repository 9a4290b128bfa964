import { ColloquyError, invalid } from "../../../errors.ts";
import type { Entry } from "../../../message/types.ts";
import type { Conversation } from "../../../store/conversation.ts";
import type { Store } from "../../../store/store.ts";
import { isPlainObject } from "../../../util/json.ts";
import { quoted, safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { checkEntry, entryAt, entryIdOf, entryOf } from "../../input/entry-reference.ts";
import { givenNumber } from "../../input/integer.ts";
import { readStdin } from "../../input/stdin.ts";
import { nextCommand } from "../../invocation.ts";
import { changeConversation } from "../../store/open-store.ts";
import { counted } from "../../terminal/count-text.ts";
import { controlText } from "../../view/control-text.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

const SUMMARY_BYTES_MAX = 1024 * 1024;

export async function run(call: Call): Promise<Result> {
  const undo = call.values.get("undo");
  const work = undo === undefined ? await compacting(call) : undoing(checkEntry(undo));
  return changeConversation(call, async (conversation, store) => {
    const { entry, lines } = await work(conversation, store);
    const info = await conversation.info();
    const [line = "", ...notes] = lines(quoted(nameOf(info)));
    return { json: { info: infoJson(info), entry: entry ?? null }, lines: [line], notes };
  });
}

interface Worked {
  readonly entry: Entry | undefined;
  /** The line to print, and a hint. */
  readonly lines: (name: string) => readonly string[];
}

type Work = (conversation: Conversation, store: Store) => Promise<Worked>;

function undoing(typed: string): Work {
  return async (conversation) => {
    const id = await entryIdOf(conversation, typed);
    const compaction = (await conversation.compactions()).find((one) => one.id === id);
    if (compaction === undefined) throw await noCompaction(conversation, id, typed);
    const entry = await conversation.undoCompaction(id);
    const current = await inEffect(conversation);
    return {
      entry,
      lines: (name) => [
        `Compaction ${safeLine(typed)} of ${name} was undone${effectOf(compaction.seq, current)}`,
      ],
    };
  };
}

async function noCompaction(conversation: Conversation, id: string, typed: string): Promise<ColloquyError> {
  const entry = await entryOf(conversation, id);
  const what = entry === undefined ? "" : `: it is ${described(entry)}`;
  return new ColloquyError("NOT_FOUND", `Entry ${typed} is not a compaction${what}`, { field: "undo" });
}

function described(entry: Entry): string {
  const { kind, message } = entry;
  if (message !== undefined) return `a message with the role ${message.role}`;
  const words = controlText(entry, (id) => id);
  return `of the kind ${kind}${words === undefined ? "" : `, ${words}`}`;
}

/** The number of the newest compaction in effect on the checked-out path. */
async function inEffect(conversation: Conversation): Promise<number | undefined> {
  for (const { seq, undone } of (await conversation.compactions()).reverse()) {
    if (!undone && (await entryAt(conversation, seq, {})) !== undefined) return seq;
  }
  return undefined;
}

function effectOf(undone: number, current: number | undefined): string {
  if (current === undefined) return ": its messages are included again";
  return current < undone
    ? `: the earlier summary, entry ${current}, is in effect again`
    : `; the later summary, entry ${current}, is still in effect`;
}

/** Everything is read and checked before the store is opened. */
async function compacting(call: Call): Promise<Work> {
  const keepMessages = givenNumber(call, "keep-messages", 0);
  const keepTokens = givenNumber(call, "keep-tokens", 0);
  const summary = await summaryOf(call);
  return async (conversation, store) => {
    const keep = { keepMessages, keepTokens };
    const entry =
      summary === undefined
        ? await (await import("./model-summary.ts")).compactWithModel(call, store, conversation, keep)
        : await conversation.compact({ summarize: () => summary, ...keep });
    if (entry === undefined) return { entry, lines: (name) => tooShort(name, keepMessages ?? keepTokens) };
    const count = isPlainObject(entry.data) ? Number(entry.data.summarised) : 0;
    return {
      entry,
      lines: (name) => [
        `The summary now replaces the first ${counted(count, "message")} of ${name}`,
        `To undo it: ${nextCommand(`sessions compact ${name} --undo ${quoted(entry.id)}`, call.values)}`,
      ],
    };
  };
}

function tooShort(name: string, keep: number | undefined): string[] {
  return [
    `Nothing to compact in ${name}: fewer than two messages precede the part that is kept. Nothing was changed`,
    keep === undefined
      ? "The last 20,000 tokens are kept; use --keep-messages or --keep-tokens to keep less."
      : "The user's last message and everything after it are always kept.",
  ];
}

/** `undefined`: a model writes it. */
async function summaryOf({ values }: Call): Promise<string | undefined> {
  const given = values.get("summary");
  if (given === undefined) return undefined;
  const summary = given === "-" ? await readStdin("summary", SUMMARY_BYTES_MAX) : given;
  if (summary.trim() === "") throw invalid("The summary is empty", "summary");
  return summary;
}
