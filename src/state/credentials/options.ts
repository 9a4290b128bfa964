import type { FileIo } from "../../disk/file-io.ts";
import type { Clock } from "../../util/time.ts";
import type { Random } from "../../util/uuid.ts";
import type { Environment } from "../folder.ts";
import type { Notice } from "../private-file.ts";
import type { ProfileView } from "./types.ts";

export interface CredentialsOptions {
  readonly stateDir: string;
  /** Default `main`. */
  readonly agentId?: string;
  readonly env?: Environment;
  readonly clock?: Clock;
  readonly io?: FileIo;
  readonly random?: Random;
  /** Called with repairs and warnings. They never contain a secret. */
  readonly onNotice?: Notice;
  /** The state folder of an OpenClaw whose profiles are used too. */
  readonly adoptFrom?: string;
  readonly platform?: string;
}

export interface CredentialsReport {
  readonly profiles: readonly ProfileView[];
  /** As set by the user. */
  readonly order: Readonly<Record<string, readonly string[]>>;
  /** Files and profiles that could not be read. */
  readonly problems: readonly string[];
}
