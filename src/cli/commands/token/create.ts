import { OWNER, PERMISSIONS } from "../../../gateway/auth/principal.ts";
import { createToken } from "../../../gateway/auth/records/tokens.ts";
import type { Permission, Scope } from "../../../gateway/wire/auth.ts";
import { timeOf } from "../../../util/time.ts";
import { isUuid } from "../../../util/uuid.ts";
import type { Call, Result } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { givenTime } from "../../input/time.ts";
import { nextCommand } from "../../invocation.ts";
import { scopeText } from "./view.ts";
import { withRecords } from "./with-records.ts";

export async function run(call: Call): Promise<Result> {
  const permission = givenPermission(call);
  const expires = givenTime(call, "expires");
  const token = {
    name: call.values.get("name") ?? "",
    user: OWNER,
    permission,
    scope: givenScope(call),
    expiresAt: expires === undefined ? null : timeOf(expires),
  };
  const { info, secret } = await withRecords(call, (keeper) => createToken(keeper, token));
  const { id, scope, expiresAt } = info;
  const permissions = PERMISSIONS.slice(0, PERMISSIONS.indexOf(permission) + 1);
  return {
    json: { id, token: secret, permission, scope, expiresAt },
    lines: [secret],
    notes: [
      `Copy it now: it is not shown again. It may ${permissions.join(", ")}: ${scopeText(scope)}.`,
      `To revoke it: ${nextCommand(`token revoke ${id}`, call.values)}`,
    ],
  };
}

function givenPermission(call: Call): Permission {
  const typed = call.values.get("permission") ?? "read";
  const permission = PERMISSIONS.find((known) => known === typed);
  if (permission === undefined)
    throw new UsageError(`--permission must be one of ${PERMISSIONS.join(", ")}`, "permission");
  return permission;
}

function givenScope({ lists }: Call): Scope | null {
  const [channels, keys, conversations] = ["channel", "key", "conversation"].map((name) => lists.get(name));
  const wrong = conversations?.find((id) => !isUuid(id));
  if (wrong !== undefined) throw new UsageError("--conversation must be the id of one", "conversation");
  const scope = {
    ...(channels && { channels }),
    ...(keys && { keys }),
    ...(conversations && { conversations }),
  };
  return Object.keys(scope).length === 0 ? null : scope;
}
