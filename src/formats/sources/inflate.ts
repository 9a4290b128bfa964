/** Decompresses streams, by their first bytes. */
import type { Transform } from "node:stream";
import { createGunzip, createInflateRaw, createZstdDecompress } from "node:zlib";
import { problem, problemOf } from "./problem.ts";

export type Bytes = AsyncIterable<Buffer>;

const CHUNK_BYTES = 1024 * 1024;
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b, 0x08]);

/** Above both limits it is a zip bomb. */
const BOMB_RATIO = 1000;
const BOMB_BYTES = 100 * 1000 * 1000;

export function isBomb(packedBytes: number, bytes: number): boolean {
  return bytes > BOMB_BYTES && bytes > packedBytes * BOMB_RATIO;
}

export type Encoding = "zstd" | "gzip" | "deflate";

const DECODERS: Readonly<Record<Encoding, () => Transform>> = {
  zstd: () => createZstdDecompress({ chunkSize: CHUNK_BYTES }),
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  deflate: () => createInflateRaw({ chunkSize: CHUNK_BYTES }),
};

export function encodingOf(head: Buffer): Encoding | undefined {
  if (head.subarray(0, 4).equals(ZSTD_MAGIC)) return "zstd";
  if (head.subarray(0, 3).equals(GZIP_MAGIC)) return "gzip";
  return undefined;
}

/**
 * The unpacked bytes. Everything that can be unpacked is returned before damage
 * is thrown, so that the messages before a cut are not lost. Never more than fits a file of `packedBytes`, if that is
 * smaller than the packed bytes, because those were unpacked from it.
 */
export async function* inflate(
  packed: Bytes,
  encoding: Encoding,
  path: string,
  packedBytes: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  const decoder = DECODERS[encoding]();
  const input = new DecoderInput(packed, decoder);
  let bytes = 0;
  try {
    for (;;) {
      // Not with `for await`, which drops buffered data when the decoder fails.
      const chunk: Buffer | null = decoder.read();
      if (chunk !== null) {
        bytes += chunk.length;
        if (isBomb(Math.min(input.bytes, packedBytes), bytes))
          throw problem("too-large", `${path} unpacks to a suspiciously large size`);
        yield chunk;
      } else if (input.failure !== undefined) throw unpacking(input.failure, path);
      else if (decoder.readableEnded) return;
      else await input.moved();
    }
  } finally {
    decoder.destroy();
  }
}

function unpacking(error: unknown, path: string): Error {
  if (problemOf(error) !== undefined) return error as Error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "Z_BUF_ERROR") return problem("cut-off", `${path} is cut off`, error);
  return problem("damaged", `${path} is damaged: ${(error as Error).message}`, error);
}

/** Writes packed bytes to the decoder and signals when there is something to read. */
class DecoderInput {
  bytes = 0;
  failure: unknown;
  readonly #decoder: Transform;
  #wake: () => void = () => {};
  #taken: (isTaken: boolean) => void = () => {};

  constructor(packed: Bytes, decoder: Transform) {
    this.#decoder = decoder;
    for (const event of ["readable", "end", "close", "drain"]) decoder.on(event, () => this.#wake());
    decoder.on("error", (error) => this.#fail(error));
    decoder.on("close", () => this.#taken(false));
    this.#readLines(packed).catch((error) => this.#fail(error));
  }

  moved(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #fail(error: unknown): void {
    this.failure ??= error;
    this.#wake();
  }

  async #readLines(packed: Bytes): Promise<void> {
    for await (const chunk of packed) {
      this.bytes += chunk.length;
      if (this.#decoder.destroyed || !(await this.#write(chunk))) return;
    }
    this.#decoder.end();
  }

  /** Whether the decoder took it. A closed one may never answer. */
  #write(chunk: Buffer): Promise<boolean> {
    return new Promise((resolve) => {
      this.#taken = resolve;
      this.#decoder.write(chunk, (error) => resolve(error == null));
    });
  }
}
