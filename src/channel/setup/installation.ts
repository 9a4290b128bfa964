import type { Credentials } from "../../state/credentials/index.ts";
import type { Environment } from "../../state/folder.ts";
import type { Store } from "../../store/store.ts";
import type { JsonObject } from "../../util/json.ts";

/** What all agents of a process are made from. */
export interface Installation {
  readonly store: Store;
  readonly config: JsonObject;
  /** Including variables from `.env` and `env.vars`. */
  readonly env: Environment;
  readonly credentials: Credentials;
  readonly stateDir: string;
  /** A sentence for the owner: a model, a server or an extension cannot be used. */
  readonly onNotice: (text: string) => void;
}
