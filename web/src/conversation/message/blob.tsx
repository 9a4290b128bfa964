/** Large parts of a message, which are stored once and read when they are shown. */
import { createContext, type JSX } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import type { BlobRef, Entry } from "../../../../src/message/types.ts";
import { Button, classes } from "../../ui/button.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { shortBytes } from "../../ui/values/count.tsx";
import { readBlobText } from "../requests.ts";
import { type ImageSize, keepSizeOfImage, sizeOfImage } from "./image-sizes.ts";

/** The id of the conversation that is shown. */
export const InConversation = createContext("");

export interface BlobTextProps {
  readonly entry: Entry;
  readonly blob: BlobRef;
  children(text: string): JSX.Element;
}

/** Larger ones are loaded only on demand. */
const AT_ONCE_MAX = 4_000_000;

export function BlobText({ entry, blob, children }: BlobTextProps): JSX.Element {
  const conversation = useContext(InConversation);
  const [text, setText] = useState<string | null>(null);
  const load = async (): Promise<void> => {
    try {
      setText(await readBlobText({ conversation, entry: entry.id, hash: blob.hash }));
    } catch (error) {
      showProblem("The text could not be read", error);
    }
  };
  useEffect(() => {
    if (blob.size <= AT_ONCE_MAX) void load();
  }, [blob.hash]);
  if (text !== null) return children(text);
  return (
    <Button small onClick={load}>
      Show {shortBytes(blob.size)} of text
    </Button>
  );
}

export interface BlobImageProps {
  readonly address: string;
  readonly name: string;
}

/** As in the style sheet. */
const IMAGE_HEIGHT_MAX = 240;

/**
 * Its room is reserved before it is loaded: exactly, once its size is known, until then as much as it may take.
 * Whole in a new tab, or as a file if it is in the message itself.
 */
export function BlobImage({ address, name }: BlobImageProps): JSX.Element {
  const [hasFailed, setFailed] = useState(false);
  // Not the size that it turns out to have: that would move what is below it.
  const size = useMemo(() => sizeOfImage(address), [address]);
  if (hasFailed) return <span class="quiet small">The image “{name}” cannot be shown.</span>;
  // Browsers do not open such addresses.
  const isInline = address.startsWith("data:");
  const way = isInline
    ? { download: name, title: "Download the whole image" }
    : { target: "_blank", rel: "noopener noreferrer", title: "Open the whole image" };
  return (
    <a class={classes("blob-image", !size && "of-unknown-size")} href={address} {...way}>
      <img
        src={address}
        alt={name}
        {...(size && { style: roomFor(size) })}
        loading="lazy"
        decoding="async"
        onLoad={(event) => keepSizeOfImage(address, event.currentTarget)}
        onError={() => setFailed(true)}
      />
    </a>
  );
}

function roomFor({ width, height }: ImageSize): Readonly<Record<"width" | "aspectRatio", string>> {
  const part = Math.min(1, IMAGE_HEIGHT_MAX / height);
  return { width: `${Math.round(width * part)}px`, aspectRatio: `${width} / ${height}` };
}
