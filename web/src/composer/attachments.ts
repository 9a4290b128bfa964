/** Files that go with the next message. Each is stored as soon as it is added. */
import { useState } from "preact/hooks";
import type { Attachment } from "../../../src/gateway/wire/frames.ts";
import { api, messageOf } from "../api/api.ts";

interface Attached {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  readonly state: "storing" | "stored" | "failed";
  readonly problem: string | null;
  readonly attachment: Attachment | null;
}

export interface Attachments {
  readonly all: readonly Attached[];
  add(files: Iterable<File>): void;
  remove(key: string): void;
  clear(): void;
}

export function useAttachments(): Attachments {
  const [all, setAll] = useState<readonly Attached[]>([]);
  const change = (key: string, part: Partial<Attached>): void =>
    setAll((old) => old.map((one) => (one.key === key ? { ...one, ...part } : one)));
  const store = async (key: string, file: File): Promise<void> => {
    try {
      const { hash } = await api<{ readonly hash: string }>("POST", "blobs", { bytes: file });
      const mediaType = file.type || "application/octet-stream";
      change(key, { state: "stored", attachment: { blob: hash, mediaType, name: file.name } });
    } catch (error) {
      change(key, { state: "failed", problem: messageOf(error) });
    }
  };
  return {
    all,
    add(files) {
      for (const file of files) {
        const key = crypto.randomUUID();
        const { name, size } = file;
        setAll((old) => [...old, { key, name, size, state: "storing", problem: null, attachment: null }]);
        void store(key, file);
      }
    },
    remove: (key) => setAll((old) => old.filter((one) => one.key !== key)),
    clear: () => setAll([]),
  };
}
