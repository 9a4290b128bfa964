import type { FileIo } from "./file-io.ts";

/** Open a file, pass its descriptor to `work` and close it, also when `work` throws. */
export function withFile<T>(
  io: FileIo,
  path: string,
  mode: "read" | "write" | "create",
  work: (file: number) => T,
): T {
  return workAndClose(io, io.open(path, mode), work);
}

/** `withFile` for reading a file that may be missing: then the result is `undefined`. */
export function withExistingFile<T>(io: FileIo, path: string, work: (file: number) => T): T | undefined {
  let file: number;
  try {
    file = io.open(path, "read");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return workAndClose(io, file, work);
}

function workAndClose<T>(io: FileIo, file: number, work: (file: number) => T): T {
  try {
    return work(file);
  } finally {
    io.close(file);
  }
}
