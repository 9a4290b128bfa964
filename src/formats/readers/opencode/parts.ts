/** The parts of a message of opencode, as blocks. */
import type { Block } from "../../../message/types.ts";
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, textIn } from "../../../util/values.ts";
import type { Sink } from "../../contract/reader.ts";
import type { Item } from "../shared/whole-tree-parts.ts";
import { fileBlockOf } from "./file.ts";
import { callItems } from "./tool.ts";

export interface ReadParts {
  /** In order; the results of a step follow all output of the model in it. */
  readonly items: readonly Item[];
  /** Parts that are not content of the message. */
  readonly notes: readonly JsonObject[];
  /** Texts that a program wrote in the user's name. */
  readonly synthetic: ReadonlySet<object>;
  /** Whether a call waits for its result. */
  readonly isOpen: boolean;
}

/** Marks of a run. They say nothing by themselves, and are kept. */
const NOTED: ReadonlySet<unknown> = new Set([
  ...["step-start", "step-finish", "snapshot", "patch", "agent", "subtask", "retry", "compaction"],
]);

export function itemsOf(parts: readonly JsonObject[], message: string, sink: Sink): ReadParts {
  const items: Item[] = [];
  const notes: JsonObject[] = [];
  const synthetic = new Set<object>();
  let results: Item[] = [];
  let isOpen = false;
  for (const [index, part] of parts.entries()) {
    if (part.type === "step-start") items.push(...results.splice(0));
    const call = callItems(part, message, index);
    if (call !== undefined) {
      items.push(call.use);
      results = [...results, ...call.results];
      isOpen ||= call.results.length === 0;
    } else if (isNoted(part, sink)) notes.push(part);
    else {
      const block = blockOf(part);
      if (part.synthetic === true) synthetic.add(block);
      items.push({ block, raw: part });
    }
  }
  return { items: [...items, ...results], notes, synthetic, isOpen };
}

function isNoted(part: JsonObject, sink: Sink): boolean {
  if (part.type === "text") return part.ignored === true;
  if (part.type === "reasoning" || part.type === "file") return false;
  if (!NOTED.has(part.type)) sink.unknown(`part ${textIn(part.type) ?? "none"}`);
  return true;
}

function blockOf(part: JsonObject): Block {
  if (part.type === "reasoning") return thinking(part);
  if (part.type === "file") return fileBlockOf(part);
  return { type: "text", text: textIn(part.text) ?? "" };
}

function thinking({ text, metadata, providerMetadata }: JsonObject): Block {
  const about = objectIn((objectIn(metadata) ?? objectIn(providerMetadata))?.anthropic) ?? {};
  const data = filledIn(about.redactedData);
  if (data !== undefined) return { type: "redacted_thinking", data };
  return {
    type: "thinking",
    thinking: textIn(text) ?? "",
    ...defined({ signature: filledIn(about.signature) }),
  } as Block;
}
