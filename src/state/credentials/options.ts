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
  /** Something was put right, or is not as it should be. Never holds a secret. */
  readonly onNotice?: Notice;
  /** The state folder of OpenClaw, whose profiles are used too. */
  readonly adoptFrom?: string;
  readonly platform?: string;
}

export interface CredentialsReport {
  readonly profiles: readonly ProfileView[];
  /** As a person set it. */
  readonly order: Readonly<Record<string, readonly string[]>>;
  /** What could not be read. */
  readonly problems: readonly string[];
}
