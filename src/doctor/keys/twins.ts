/**
 * Conversations whose session keys are not in their current form. Earlier
 * versions stored keys as they were typed, so that one key may have several.
 */

import { activeAt } from "../../engine/index.ts";
import { asColloquyError } from "../../errors.ts";
import { wasLeft } from "../../key/copies.ts";
import { parseSessionKey } from "../../key/index.ts";
import type { ConversationInfo } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";
import type { Checkup, DoctorFinding, Fixing } from "../finding.ts";
import { joinConversations } from "./join.ts";

/** The conversations of one session key. */
interface Twins {
  /** In current form. */
  readonly key: string;
  /** The one used last, which keeps the key. */
  readonly kept: ConversationInfo;
  /** In the order of their last use, the latest first. */
  readonly others: readonly ConversationInfo[];
}

export async function checkKeys(store: Store, fixing: Fixing): Promise<Checkup> {
  const checked = "Session keys";
  const findings: DoctorFinding[] = [];
  for (const twins of await twinsOf(store)) {
    const failure = fixing === undefined ? "" : await fix(store, twins, fixing);
    if (failure !== undefined) findings.push(found(twins, failure));
  }
  return { checked, findings };
}

/** Keys with several conversations, and those with one that has the key in another form. */
async function twinsOf(store: Store): Promise<Twins[]> {
  const byKey = new Map<string, ConversationInfo[]>();
  for await (const info of store.list()) {
    const { id } = info;
    // What a user has left for a new conversation is not a part of that one.
    const key = info.key === null || wasLeft(info.key, id) ? undefined : currentKey(store, info.key);
    if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), info]);
  }
  return [...byKey].flatMap(([key, infos]) => {
    const [kept, ...others] = infos.sort(byLastUse);
    if (kept === undefined || (others.length === 0 && kept.key === key)) return [];
    return [{ key, kept, others }];
  });
}

/** Without the mark that a copy gives to the older ones. `undefined` if it cannot be a key today. */
function currentKey(store: Store, key: string): string | undefined {
  try {
    const current = store.resolveKey(key);
    const { mark } = parseSessionKey(current);
    return mark === undefined ? current : current.slice(0, -mark.length - 1);
  } catch {
    return undefined;
  }
}

function byLastUse(a: ConversationInfo, b: ConversationInfo): number {
  const [left, right] = [activeAt(a), activeAt(b)];
  if (left !== right) return left < right ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

/** Returns why it failed; `undefined` if it did not. */
async function fix(store: Store, twins: Twins, fixing: NonNullable<Fixing>): Promise<string | undefined> {
  const { key, kept, others } = twins;
  const notes: string[] = [];
  try {
    for (const other of others) notes.push(...(await joinConversations(store, kept.id, other.id)));
    if (kept.key !== key) await store.ingest().rename(kept.id, key);
  } catch (error) {
    return asColloquyError(error, "Cannot join them").message;
  }
  const what =
    others.length === 0
      ? `The session key ${kept.key} is ${key} now`
      : `${others.length + 1} conversations of ${key} are one now: ${kept.id}. The others are branches of it and in the trash${notes.map((note) => `; ${note}`).join("")}`;
  fixing.push({ code: others.length === 0 ? "old-key" : "twin-keys", what });
  return undefined;
}

function found({ key, kept, others }: Twins, failure: string): DoctorFinding {
  const why = failure === "" ? "" : `. ${failure}`;
  const command = ["doctor", "--fix"];
  if (others.length === 0) {
    return {
      code: "old-key",
      severity: "warning",
      what: `The session key ${kept.key} is written ${key} today, which does not find the conversation${why}`,
      fix: { text: "Rename it", command },
      fixable: true,
      details: { key, conversations: [kept.id] },
    };
  }
  const names = [kept, ...others].map((info) => info.key).join(", ");
  return {
    code: "twin-keys",
    severity: "warning",
    what: `${others.length + 1} conversations have the same session key ${key}, as ${names}${why}`,
    fix: {
      text: "Join them: the last one used keeps the key, the others become branches of it and move to the trash",
      command,
    },
    fixable: true,
    details: { key, conversations: [kept.id, ...others.map(({ id }) => id)] },
  };
}
