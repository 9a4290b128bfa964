/** The parts of a message: text, images, thinking, calls of tools, and whatever else is stored. */
import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import type { Block, MessageEntry } from "../../../../src/message/types.ts";
import { CodeBlock } from "../../markdown/code-block.tsx";
import { Markdown } from "../../markdown/markdown.tsx";
import { Fold } from "../../ui/fold.tsx";
import { Icon } from "../../ui/icon.tsx";
import { blobAddress } from "../requests.ts";
import { isResult, type Part } from "../rows.ts";
import { BlobImage, BlobText, InConversation } from "./blob.tsx";
import { ToolCallView, ToolOutput } from "./tool-call.tsx";
import { blobAt, textBlob } from "./words.ts";

export interface PartViewProps {
  readonly entry: MessageEntry;
  readonly part: Part;
}

export function PartView({ entry, part }: PartViewProps): JSX.Element {
  if (part.kind === "tool") return <ToolCallView id={`${entry.id}/${part.index}`} tool={part.tool} />;
  return <BlockView entry={entry} block={part.block} index={part.index} />;
}

interface BlockViewProps {
  readonly entry: MessageEntry;
  readonly block: Block;
  readonly index: number;
}

function BlockView({ entry, block, index }: BlockViewProps): JSX.Element {
  if (block.type === "text") return <TextView entry={entry} text={String(block.text)} index={index} />;
  if (block.type === "thinking")
    return <Thinking id={`${entry.id}/${index}`} text={String(block.thinking)} />;
  if (block.type === "redacted_thinking")
    return <p class="quiet small">Thinking that the provider has hidden</p>;
  if (block.type === "image" || block.type === "document")
    return <MediaView entry={entry} block={block} index={index} />;
  if (isResult(block))
    return (
      <Fold id={`${entry.id}/${index}`} line="Result of a tool">
        {() => <ToolOutput entry={entry} result={block} index={index} />}
      </Fold>
    );
  return (
    <Fold id={`${entry.id}/${index}`} line={`${block.type} (a kind of content that this page does not know)`}>
      {() => <CodeBlock text={JSON.stringify(block, null, 2)} language="json" />}
    </Fold>
  );
}

function TextView({
  entry,
  text,
  index,
}: {
  readonly entry: MessageEntry;
  readonly text: string;
  readonly index: number;
}): JSX.Element {
  const blob = textBlob(entry, index);
  if (text === "" && blob)
    return (
      <BlobText entry={entry} blob={blob}>
        {(whole) => <Markdown text={whole} />}
      </BlobText>
    );
  return <Markdown text={text} />;
}

export function Thinking({ id, text }: { readonly id: string; readonly text: string }): JSX.Element {
  return (
    <Fold
      id={id}
      line={
        <>
          <span>Thinking</span>
          <span class="cut quiet grow">{text.slice(0, 160)}</span>
        </>
      }
    >
      {() => <Markdown text={text} />}
    </Fold>
  );
}

function MediaView({ entry, block, index }: BlockViewProps): JSX.Element {
  const {
    type: kind,
    media_type: mediaType,
    data,
    url,
  } = (block.source ?? {}) as Readonly<Record<string, unknown>>;
  const type = typeof mediaType === "string" ? mediaType : "";
  const name = typeof block.title === "string" ? block.title : block.type === "image" ? "Image" : "Document";
  const blob = blobAt(entry, "content", index, "source", "data");
  const inline = typeof data === "string" && data !== "" && /^image\/[\w.+-]+$/.test(type);
  const conversation = useContext(InConversation);
  const stored = blob && blobAddress({ conversation, entry: entry.id, hash: blob.hash }, type);
  const address = stored ?? (inline ? `data:${type};base64,${data}` : undefined);
  if (block.type === "image" && address) return <BlobImage address={address} name={name} />;
  if (typeof url === "string") return <Markdown text={`![${name.replaceAll(/[[\]]/g, "")}](<${url}>)`} />;
  if (typeof data === "string" && kind === "text")
    return <CodeBlock text={data} language={null} linesMax={20} />;
  return (
    <a class="attachment" {...(stored && { href: stored, download: name })}>
      <Icon name="file" /> {name} <span class="quiet small">{type}</span>
    </a>
  );
}
