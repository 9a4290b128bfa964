import { ColloquyError, invalid } from "../../errors.ts";

/** All of standard input. Bytes that are not UTF-8 are refused: replacing them would store something else. */
export async function readStdin(field: string, bytesMax: number): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write("Reading from the terminal; end with Ctrl-D.\n");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += (chunk as Buffer).length;
    if (bytes > bytesMax) throw invalid(`Standard input is larger than ${bytesMax} bytes`, field);
    chunks.push(chunk as Buffer);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new ColloquyError("VALIDATION_ERROR", "Standard input is not valid UTF-8", { field, cause });
  }
}
