/** Converts one message of opencode to entries: the answer, the results of its tools, and the next step. */
import type { Message } from "../../../message/types.ts";
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, numberIn, objectIn, textIn, timeIn } from "../../../util/values.ts";
import type { Sink, SourceEntry, SourceRecord } from "../../contract/reader.ts";
import { blocksOf, type Part, partsOf } from "../shared/whole-tree-parts.ts";
import type { ReadParts } from "./parts.ts";
import type { Records } from "./records.ts";

export function entriesOf(
  id: string,
  value: JsonObject,
  read: ReadParts,
  records: Records,
  sink: Sink,
): SourceEntry[] {
  const isAnswer = value.role === "assistant";
  if (!isAnswer && value.role !== "user") sink.unknown(`role ${textIn(value.role) ?? "none"}`);
  const parts: readonly Part[] = isAnswer
    ? partsOf(id, read.items, resultsId(id))
    : [{ id, role: "user", items: read.items }];
  const answer = parts.findLast(({ role }) => role === "assistant");
  const isCut = isAnswer && (read.isOpen || timesOf(value).completed === undefined);
  return parts.map((part, index) => ({
    id: part.id,
    at: timesOf(value).created,
    message: messageOf(value, part, part === answer, read.synthetic),
    records: recordsOf(part, index === 0 ? value : undefined, records) ?? records.of(value),
    ...(isCut && part === (answer ?? parts.at(-1)) && { flags: ["cut-off"] }),
  }));
}

/** A call and its result are one part, which both entries come from. */
function recordsOf(
  { items }: Part,
  message: JsonObject | undefined,
  records: Records,
): readonly SourceRecord[] | undefined {
  const own = message === undefined ? [] : records.of(message);
  const found = [...own, ...items.flatMap(({ raw }) => records.of(objectIn(raw) ?? {}))];
  return found.length === 0 ? undefined : found;
}

function resultsId(id: string): (count: number) => string {
  return (count) => (count === 1 ? `${id}/results` : `${id}/results-${count}`);
}

function timesOf({ time, metadata }: JsonObject): { readonly created?: number; readonly completed?: number } {
  const times = objectIn(time) ?? objectIn(objectIn(metadata)?.time) ?? {};
  const [created, completed] = [timeIn(times.created), timeIn(times.completed)];
  return defined({ created, completed });
}

/** Facts about the whole answer go with its last part. */
function messageOf(value: JsonObject, part: Part, isLast: boolean, synthetic: ReadonlySet<object>): Message {
  const about = objectIn(objectIn(value.metadata)?.assistant) ?? value;
  const model =
    filledIn(about.modelID) ??
    filledIn(objectIn(value.model)?.id) ??
    filledIn(objectIn(value.model)?.modelID);
  const usage = isLast ? usageOf(about) : undefined;
  const stopReason = isLast ? filledIn(value.finish) : undefined;
  const blocks = blocksOf(part.items);
  const positions = blocks.flatMap((block, index) => (synthetic.has(block) ? [index] : []));
  const extra = defined({
    synthetic: positions.length > 0 ? positions : undefined,
    error: isLast ? (value.error ?? undefined) : undefined,
  });
  return {
    role: part.role,
    content: blocks,
    ...(model !== undefined && part.role === "assistant" && { model }),
    ...defined({ usage, stopReason }),
    ...(Object.keys(extra).length > 0 && { extra: { opencode: extra } }),
  };
}

/** `input` excludes cached tokens, as in our format. */
function usageOf({ tokens, cost }: JsonObject): JsonObject | undefined {
  const counts = objectIn(tokens);
  if (counts === undefined) return undefined;
  const cache = objectIn(counts.cache) ?? {};
  return defined({
    input_tokens: numberIn(counts.input),
    output_tokens: numberIn(counts.output),
    cache_read_input_tokens: numberIn(cache.read),
    cache_creation_input_tokens: numberIn(cache.write),
    reasoning_tokens: numberIn(counts.reasoning),
    cost: numberIn(cost),
  });
}
