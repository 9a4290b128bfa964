/** A session file that Claude Code resumes. */
import { type AnthropicMessage, toClaude } from "../../../message/apis/anthropic.ts";
import type { Message } from "../../../message/types.ts";
import type { Snapshot } from "../../../store/read/snapshot.ts";
import { defined, type JsonObject } from "../../../util/json.ts";
import type { Cleaner } from "../cleaning.ts";
import type { Wanted } from "../options.ts";
import { copyId, lineId } from "./session-id.ts";
import { type SessionItem, sessionSource } from "./session-items.ts";

/** The version whose records these are. */
const VERSION = "2.1.325";

export async function* claudeCode(
  snapshot: Snapshot,
  wanted: Wanted,
  cleaner: Cleaner,
): AsyncGenerator<string, void, undefined> {
  const { cwd = "", items } = await sessionSource(snapshot, wanted, cleaner);
  const sessionId = copyId("claude-code", snapshot.info);
  const writer = new LineWriter(sessionId, cwd, snapshot.info.model);
  for (const item of items) for (const line of writer.lines(item)) yield `${JSON.stringify(line)}\n`;
  const { title } = snapshot.info;
  if (title === null) return;
  yield `${JSON.stringify({ type: "custom-title", customTitle: cleaner.text(title), sessionId })}\n`;
}

class LineWriter {
  readonly #sessionId: string;
  readonly #cwd: string;
  readonly #model: string | null;
  #parent: string | null = null;

  constructor(sessionId: string, cwd: string, model: string | null) {
    this.#sessionId = sessionId;
    this.#cwd = cwd;
    this.#model = model;
  }

  lines({ id, at, message, summary }: SessionItem): JsonObject[] {
    const [said] = toClaude([message]) as [AnthropicMessage];
    const isAnswer = said.role === "assistant";
    const own = isAnswer ? this.#answer(id, message, said) : { type: "user", message: said as JsonObject };
    const meta = message.role === "system" ? { isMeta: true } : {};
    return [
      ...(summary === undefined ? [] : this.#compaction(id, at, summary)),
      this.#line(lineId(this.#sessionId, id), at, { ...own, ...meta }),
    ];
  }

  #answer(id: string, message: Message, { content }: AnthropicMessage): JsonObject {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const calls = blocks.some(({ type }) => type === "tool_use");
    const { input_tokens = 0, output_tokens = 0 } = message.usage ?? {};
    return {
      type: "assistant",
      message: {
        ...{ id: `msg_${lineId(this.#sessionId, id, 1).replaceAll("-", "")}`, type: "message" },
        ...{ role: "assistant", model: message.model ?? this.#model ?? "<synthetic>", content: blocks },
        ...{ stop_reason: calls ? "tool_use" : "end_turn", stop_sequence: null },
        usage: { input_tokens, output_tokens },
      } as JsonObject,
    };
  }

  /** A boundary, which has no parent, and the summary with which the context begins. */
  #compaction(id: string, at: string, summary: string): JsonObject[] {
    const logicalParentUuid = this.#parent;
    this.#parent = null;
    const boundary = this.#line(lineId(this.#sessionId, id, 2), at, {
      ...{ type: "system", subtype: "compact_boundary", content: "Conversation compacted", level: "info" },
      ...defined({ logicalParentUuid: logicalParentUuid ?? undefined }),
      compactMetadata: { trigger: "manual", preTokens: 0 },
    });
    const said = this.#line(lineId(this.#sessionId, id, 3), at, {
      ...{ type: "user", isCompactSummary: true, isVisibleInTranscriptOnly: true },
      message: { role: "user", content: summary },
    });
    return [boundary, said];
  }

  #line(uuid: string, timestamp: string, members: JsonObject): JsonObject {
    const line = {
      ...{ parentUuid: this.#parent, isSidechain: false, userType: "external", cwd: this.#cwd },
      ...{ sessionId: this.#sessionId, version: VERSION, gitBranch: "", ...members, uuid, timestamp },
    };
    this.#parent = uuid;
    return line;
  }
}
