import { type Keeper, Records } from "../../../gateway/auth/records/records.ts";
import { systemRandom } from "../../../util/uuid.ts";
import type { Call } from "../../command.ts";
import { stateFolder } from "../../store/store-target.ts";

/** The records of the gateway, which may be running. */
export async function withRecords<T>({ values }: Call, work: (keeper: Keeper) => T): Promise<T> {
  const records = await Records.open(stateFolder(values));
  try {
    return work({ records, random: systemRandom, clock: Date.now });
  } finally {
    records.close();
  }
}
