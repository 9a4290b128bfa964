import { createContext, type JSX } from "preact";
import { useContext } from "preact/hooks";
import type { ToolState } from "../../../../src/gateway/wire/frames.ts";
import type { MessageEntry, ToolResultBlock } from "../../../../src/message/types.ts";
import { CodeBlock } from "../../markdown/code-block.tsx";
import { classes } from "../../ui/button.tsx";
import { Fold } from "../../ui/fold.tsx";
import { Icon } from "../../ui/icon.tsx";
import { duration } from "../../ui/values/time.tsx";
import { blobAddress } from "../requests.ts";
import type { ToolCall } from "../rows.ts";
import { BlobImage, BlobText, InConversation } from "./blob.tsx";
import { blobAt } from "./words.ts";

const OUTPUT_LINES_MAX = 40;

/** The tools of the answer that is being written. */
export const RunningTools = createContext<readonly ToolState[]>([]);

export function ToolCallView({ id, tool }: { readonly id: string; readonly tool: ToolCall }): JSX.Element {
  const { call, result } = tool;
  const running = useContext(RunningTools).find((one) => one.id === call.id);
  const state = result ? (result.block.is_error ? "failed" : "done") : (running?.state ?? "unanswered");
  const ms = tool.ms ?? running?.ms ?? null;
  return (
    <Fold id={id} line={<ToolLine name={call.name} words={inputWords(call.input)} state={state} ms={ms} />}>
      {() => (
        <>
          <CodeBlock text={JSON.stringify(call.input, null, 2)} language="json" linesMax={OUTPUT_LINES_MAX} />
          {result ? (
            <ToolOutput entry={result.entry} result={result.block} index={result.index} />
          ) : (
            <p class="quiet small">There is no result.</p>
          )}
        </>
      )}
    </Fold>
  );
}

export interface ToolLineProps {
  readonly name: string;
  /** What it was called with, in a few words. */
  readonly words: string;
  readonly state: "running" | "done" | "failed" | "unanswered";
  readonly ms: number | null;
}

const STATES = {
  running: "running",
  done: "done",
  failed: "failed",
  unanswered: "no result",
} as const;

export function ToolLine({ name, words, state, ms }: ToolLineProps): JSX.Element {
  return (
    <>
      <Icon name="tool" />
      <span class="tool-name">{name}</span>
      <code class="cut quiet grow">{words}</code>
      {ms !== null && <span class="quiet small number">{duration(ms)}</span>}
      <span class={classes("small", state === "failed" ? "bad" : "quiet")}>{STATES[state]}</span>
    </>
  );
}

export interface ToolOutputProps {
  readonly entry: MessageEntry;
  readonly result: ToolResultBlock;
  readonly index: number;
}

export function ToolOutput({ entry, result, index }: ToolOutputProps): JSX.Element {
  const conversation = useContext(InConversation);
  const { content = "" } = result;
  const pieces = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return (
    <>
      {pieces.map((piece, at) => {
        const place = typeof content === "string" ? [] : [at];
        const field = typeof content === "string" ? [] : ["text"];
        const blob = blobAt(entry, "content", index, "content", ...place, ...field);
        const image = blobAt(entry, "content", index, "content", at, "source", "data");
        if (piece.type === "image" && image)
          return (
            <BlobImage
              key={at}
              address={blobAddress(
                { conversation, entry: entry.id, hash: image.hash },
                mediaTypeOf(piece.source),
              )}
              name="Image"
            />
          );
        const text = typeof piece.text === "string" ? piece.text : JSON.stringify(piece, null, 2);
        if (text === "" && blob)
          return (
            <BlobText key={at} entry={entry} blob={blob}>
              {(whole) => <CodeBlock text={whole} language={null} linesMax={OUTPUT_LINES_MAX} />}
            </BlobText>
          );
        return <CodeBlock key={at} text={text} language={null} linesMax={OUTPUT_LINES_MAX} />;
      })}
    </>
  );
}

function mediaTypeOf(source: unknown): string {
  const type = (source as { readonly media_type?: unknown } | null)?.media_type;
  return typeof type === "string" ? type : "";
}

/** The first value that says something: a command, a path, a query. */
function inputWords(input: Readonly<Record<string, unknown>>): string {
  const first = Object.values(input).find((value) => typeof value === "string" && value !== "");
  const text = typeof first === "string" ? first : JSON.stringify(input);
  return text.slice(0, 200).replaceAll(/\s+/g, " ");
}
