/** The parts of a message: text, images, thinking, calls of tools, and whatever else is stored. */
import type { JSX } from "preact";
import type { Block, MessageEntry } from "../../../../src/message/types.ts";
import { plainWords } from "../../list/plain-words.ts";
import { CodeBlock } from "../../markdown/code-block.tsx";
import { Markdown } from "../../markdown/markdown.tsx";
import { Fold } from "../../ui/fold.tsx";
import { isResult, type Part } from "../rows.ts";
import { BlobImage, BlobText } from "./blob.tsx";
import { FileChip, FileView } from "./file-view.tsx";
import { sourceOf, useMediaAddress } from "./media-address.ts";
import { ToolCallView, ToolOutput } from "./tool-call.tsx";
import { textBlob } from "./words.ts";

export interface PartViewProps {
  readonly entry: MessageEntry;
  readonly part: Part;
}

export function PartView({ entry, part }: PartViewProps): JSX.Element {
  if (part.kind === "tool") return <ToolCallView id={`${entry.id}/${part.index}`} tool={part.tool} />;
  if (part.kind === "file") return <FileView entry={entry} file={part.file} />;
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
          <span class="cut quiet grow">{plainWords(text.slice(0, 160))}</span>
        </>
      }
    >
      {() => <Markdown text={text} />}
    </Fold>
  );
}

function MediaView({ entry, block, index }: BlockViewProps): JSX.Element {
  const { kind, mediaType, data, url } = sourceOf(block);
  const name = typeof block.title === "string" ? block.title : block.type === "image" ? "Image" : "Document";
  const address = useMediaAddress(entry, block, index);
  if (block.type === "image" && address) return <BlobImage address={address} name={name} />;
  if (typeof url === "string") return <Markdown text={`![${name.replaceAll(/[[\]]/g, "")}](<${url}>)`} />;
  if (typeof data === "string" && kind === "text")
    return <CodeBlock text={data} language={null} linesMax={20} />;
  return <FileChip name={name} about={mediaType} address={address} />;
}
