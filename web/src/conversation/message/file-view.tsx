/** A file that was sent with a message: its name, a way to download it, and a look inside. */
import type { JSX } from "preact";
import type { Block, MessageEntry } from "../../../../src/message/types.ts";
import { CodeBlock } from "../../markdown/code-block.tsx";
import { Fold } from "../../ui/fold.tsx";
import { Icon } from "../../ui/icon.tsx";
import { type AttachedFile, fileText } from "../attached-parts.ts";
import { BlobImage, BlobText } from "./blob.tsx";
import { useMediaAddress } from "./media-address.ts";
import { textBlob } from "./words.ts";

export interface FileViewProps {
  readonly entry: MessageEntry;
  readonly file: AttachedFile;
}

export function FileView({ entry, file }: FileViewProps): JSX.Element {
  const { name, size, problem, content } = file;
  if (content === null) return <FileChip name={name} about={problem ? `${size} · ${problem}` : size} />;
  const { block, index } = content;
  if (block.type === "text") return <TextFile entry={entry} file={file} block={block} index={index} />;
  return <MediaFile entry={entry} file={file} block={block} index={index} />;
}

interface ContentProps extends FileViewProps {
  readonly block: Block;
  readonly index: number;
}

function MediaFile({ entry, file: { name, size }, block, index }: ContentProps): JSX.Element {
  const address = useMediaAddress(entry, block, index);
  return (
    <>
      {block.type === "image" && address && <BlobImage address={address} name={name} />}
      <FileChip name={name} about={size} address={address} />
    </>
  );
}

function TextFile({ entry, file: { name, size }, block, index }: ContentProps): JSX.Element {
  const blob = block.text === "" ? textBlob(entry, index) : undefined;
  const shown = (text: string): JSX.Element => (
    <>
      <CodeBlock text={fileText(text)} language={null} linesMax={20} />
      <FileChip
        name={name}
        about={size}
        address={`data:text/plain;charset=utf-8,${encodeURIComponent(fileText(text))}`}
      />
    </>
  );
  const line = (
    <>
      <Icon name="file" /> <span class="cut">{name}</span> <span class="quiet small">{size}</span>
    </>
  );
  return (
    <Fold id={`${entry.id}/${index}`} line={line}>
      {() =>
        blob ? (
          <BlobText entry={entry} blob={blob}>
            {shown}
          </BlobText>
        ) : (
          shown(String(block.text))
        )
      }
    </Fold>
  );
}

export interface FileChipProps {
  readonly name: string;
  readonly about: string;
  /** Without one, there is nothing to download. */
  readonly address?: string | undefined;
}

export function FileChip({ name, about, address }: FileChipProps): JSX.Element {
  const inside = (
    <>
      <Icon name="file" /> <span class="cut">{name}</span> <span class="quiet small cut">{about}</span>
    </>
  );
  if (!address)
    return (
      <span class="attachment" title={`${name}: ${about}`}>
        {inside}
      </span>
    );
  return (
    <a class="attachment" href={address} download={name} title={`Download ${name}`}>
      {inside}
      <Icon name="download" />
    </a>
  );
}
