import { isUtf8 } from "node:buffer";
import { ColloquyError, unavailable } from "../../../errors.ts";
import { JSON5_BYTES_MAX } from "../../json5/parse.ts";
import { ensurePrivate, openNotice, type PermissionNotice } from "../../permissions.ts";
import type { ConfigBuild } from "../config-build.ts";
import { finding } from "../finding.ts";
import { isInside } from "./confined.ts";
import { realPath } from "./reads.ts";

/** Read one file of the config, and remember its stamp. */
export function readText(build: ConfigBuild, path: string): string {
  // Before reading, because it changes the stamp.
  closeFile(build, path);
  const { bytes, stamp } = readBytes(build, path);
  build.stamps.set(path, stamp);
  build.files.push(path);
  if (!isUtf8(bytes)) {
    throw new ColloquyError("VALIDATION_ERROR", `${path} is not valid UTF-8: save it as UTF-8`, {
      field: "config",
      details: { file: path, line: 1, column: 1 },
    });
  }
  return bytes.toString("utf8");
}

function readBytes(build: ConfigBuild, path: string): { bytes: Buffer; stamp: string } {
  try {
    return build.reads.read(path, JSON5_BYTES_MAX);
  } catch (error) {
    build.stamps.set(path, build.reads.stamp(path));
    throw unreadable(path, error as NodeJS.ErrnoException);
  }
}

function unreadable(path: string, error: NodeJS.ErrnoException): ColloquyError {
  const details = { file: path, line: null, column: null };
  const options = { field: "config", details, cause: error };
  if (error.code === "EFBIG") {
    return new ColloquyError(
      "VALIDATION_ERROR",
      `${path} is larger than 2 MiB: split it with $include`,
      options,
    );
  }
  if (error.code === "EISDIR") {
    return new ColloquyError("VALIDATION_ERROR", `${path} is not a regular file`, options);
  }
  if (error.code === "ENOENT") {
    return unavailable(`${path} disappeared, or is a broken link`, options);
  }
  if (error.code === "EACCES" || error.code === "EPERM") {
    return unavailable(
      `Cannot read ${path}: permission denied. Make yourself its owner, with mode 0600`,
      options,
    );
  }
  return unavailable(`Cannot read ${path}: ${error.message}`, options);
}

/** Files in the state folder are ours to make private. For a link that leads elsewhere, only warn. */
function closeFile(build: ConfigBuild, path: string): void {
  const { reads, adopted, options } = build;
  if (adopted) return;
  const real = realPath(reads, path);
  const ours = isInside(options.stateDir, real) || isInside(realPath(reads, options.stateDir), real);
  if (ours || real !== path) closeToOthers(build, real, ours ? ensurePrivate : openNotice);
}

/** Links are followed: others can read their targets. */
export function closeToOthers(
  build: ConfigBuild,
  path: string,
  close: (path: string) => PermissionNotice | undefined = ensurePrivate,
): void {
  if (build.options.repair === false) return;
  const notice = close(realPath(build.reads, path));
  if (notice === undefined) return;
  const severity = notice.repaired ? "info" : "warning";
  build.findings.push({ ...finding(severity, "permissions", notice.message, []), file: null });
}
