/** A row of opencode's `session_message`: a whole message of one of several types. */
import type { Block, Message } from "../../../message/types.ts";
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, objectsIn, textIn, timeIn } from "../../../util/values.ts";
import type { Sink } from "../../contract/reader.ts";
import { fileBlockOf } from "./file.ts";
import type { Records } from "./records.ts";
import type { SessionReader } from "./session.ts";

export function addNewMessage(value: JsonObject, records: Records, reader: SessionReader, sink: Sink): void {
  const add = ADDERS.get(value.type);
  if (add !== undefined) add(value, records, reader);
  else {
    if (value.type !== "agent-switched") sink.unknown(`message ${textIn(value.type) ?? "none"}`);
    reader.note(value);
  }
}

type Adder = (value: JsonObject, records: Records, reader: SessionReader) => void;

const ADDERS: ReadonlyMap<unknown, Adder> = new Map<unknown, Adder>([
  ["assistant", addAnswer],
  ["user", addSaid],
  ["synthetic", addSaid],
  ["system", addSaid],
  ["shell", addSaid],
  ["compaction", addCompaction],
  ["model-switched", addModel],
]);

/** Its content has the parts of the legacy form, under slightly different names. */
function addAnswer(value: JsonObject, records: Records, reader: SessionReader): void {
  const { content, ...own } = value;
  const parts = objectsIn(content).map((part) =>
    part.type === "tool" ? { callID: part.id, ...part } : part,
  );
  const answer = records.set({ ...own, role: "assistant" }, records.of(value));
  reader.add({ value: answer, parts: parts.map((part) => defined(part)) });
}

function addSaid(value: JsonObject, records: Records, reader: SessionReader): void {
  const { id, type, files } = value;
  const blocks: Block[] = [...textsOf(value), ...objectsIn(files).map(fileBlockOf)];
  const isPlain = type === "user" || type === "system";
  const message: Message = {
    role: type === "system" ? "system" : "user",
    content: blocks,
    ...(!isPlain && { extra: { opencode: { type: type ?? null } } }),
  };
  reader.addEntry({ id: String(id), at: atOf(value), message, records: records.of(value) });
}

/** A command that the user ran, and its output. */
function textsOf({ text, command, output }: JsonObject): Block[] {
  const texts = [text, command, output].map((said) => filledIn(said));
  return texts.flatMap((said) => (said === undefined ? [] : [{ type: "text", text: said }]));
}

function addCompaction(value: JsonObject, records: Records, reader: SessionReader): void {
  reader.addEntry({
    id: String(value.id),
    kind: "compaction",
    at: atOf(value),
    data: {
      summary: textIn(value.summary) ?? "",
      strategy: "opencode",
      first_kept: null,
      ...defined({ trigger: filledIn(value.reason) }),
    },
    records: records.of(value),
  });
}

function addModel(value: JsonObject, records: Records, reader: SessionReader): void {
  const model = objectIn(value.model) ?? {};
  reader.addEntry({
    id: String(value.id),
    kind: "info",
    at: atOf(value),
    data: defined({
      type: "model",
      model: filledIn(model.id) ?? filledIn(model.modelID) ?? textIn(value.model) ?? null,
      provider: filledIn(model.providerID),
    }),
    records: records.of(value),
  });
}

function atOf({ time }: JsonObject): number | undefined {
  return timeIn(objectIn(time)?.created);
}
