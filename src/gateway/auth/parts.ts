import type { Clock } from "../../util/time.ts";
import type { Random } from "../../util/uuid.ts";
import type { RecordChanges } from "./changes/changes.ts";
import type { Records } from "./records/records.ts";
import type { AuthSettings } from "./settings.ts";

/** What the parts of this folder share. */
export interface AuthParts {
  readonly records: Records;
  readonly changes: RecordChanges;
  readonly settings: AuthSettings;
  readonly clock: Clock;
  readonly random: Random;
}
