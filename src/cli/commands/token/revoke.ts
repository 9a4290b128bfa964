import { OWNER } from "../../../gateway/auth/principal.ts";
import { revokeToken } from "../../../gateway/auth/records/tokens.ts";
import type { Call, Result } from "../../command.ts";
import { withRecords } from "./with-records.ts";

export async function run(call: Call): Promise<Result> {
  const id = call.args[0] as string;
  const token = await withRecords(call, (keeper) => revokeToken(keeper, id, OWNER));
  return { json: { token }, lines: [`Revoked ${token.id}.`] };
}
