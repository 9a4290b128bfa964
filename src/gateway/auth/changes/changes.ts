/** Everything that changes the records while a gateway runs, by name, so that another thread can do it. */
import { keepConfig } from "../login/keep-config.ts";
import { attemptSucceeded, type Bucket, beginAttempt, isWorthNoting } from "../login/limiter.ts";
import { type AuditEvent, type AuditNote, note } from "../records/audit.ts";
import { noteBlob } from "../records/known-blobs.ts";
import { addKnownDevice } from "../records/known-device.ts";
import { takeLinkCode } from "../records/links.ts";
import type { Keeper } from "../records/records.ts";
import { forgetRunning, noteRunning } from "../records/running.ts";
import { addSignIn, endSignIn, useRefreshToken } from "../records/sign-ins.ts";
import { createToken, revokeToken } from "../records/tokens.ts";
import { noteUsed } from "../records/used.ts";

/** What goes in and what comes out is plain data. */
interface Changes {
  readonly addKnownDevice: typeof addKnownDevice;
  readonly addSignIn: typeof addSignIn;
  readonly createToken: typeof createToken;
  readonly endSignIn: typeof endSignIn;
  readonly forgetRunning: typeof forgetRunning;
  readonly keepConfig: typeof keepConfig;
  readonly noteBlob: typeof noteBlob;
  readonly noteRunning: typeof noteRunning;
  readonly noteUsed: typeof noteUsed;
  readonly revokeToken: typeof revokeToken;
  readonly takeLinkCode: typeof takeLinkCode;
  readonly useRefreshToken: typeof useRefreshToken;
  readonly note: (keeper: Keeper, event: AuditEvent, about: AuditNote) => void;
  readonly beginAttempt: (keeper: Keeper, bucket: Bucket) => number;
  readonly attemptSucceeded: (keeper: Keeper, attempt: number) => void;
  readonly noteWrongToken: (keeper: Keeper, client: string) => void;
}

const CHANGES: Changes = {
  addKnownDevice,
  addSignIn,
  createToken,
  endSignIn,
  forgetRunning,
  keepConfig,
  noteBlob,
  noteRunning,
  noteUsed,
  revokeToken,
  takeLinkCode,
  useRefreshToken,
  note: ({ records, clock }, event, about) => note(records, clock(), event, about),
  beginAttempt: ({ records, clock }, bucket) => beginAttempt(records, clock(), bucket),
  attemptSucceeded: ({ records }, attempt) => attemptSucceeded(records, attempt),
  // For the owner to see. The client learns nothing from it.
  noteWrongToken: ({ records, clock }, client) => {
    if (isWorthNoting(records, clock(), client))
      note(records, clock(), "sign-in-failed", { client, details: "request" });
  },
};

export type ChangeName = keyof Changes;
export type ChangeArgs<Name extends ChangeName> =
  Parameters<Changes[Name]> extends [Keeper, ...infer Args] ? Args : never;
export type Changed<Name extends ChangeName> = ReturnType<Changes[Name]>;

/** Where the records are changed. */
export interface RecordChanges {
  /** Resolves when it is durable, as far as it has to be. */
  make<Name extends ChangeName>(name: Name, ...args: ChangeArgs<Name>): Promise<Changed<Name>>;
  /** What is under way is done before. */
  close(): Promise<void>;
}

export function change(keeper: Keeper, name: ChangeName, args: readonly unknown[]): unknown {
  return (CHANGES[name] as (keeper: Keeper, ...args: readonly unknown[]) => unknown)(keeper, ...args);
}

/** In this thread, which waits for the disk: for commands and tests. */
export function changesHere(keeper: Keeper): RecordChanges {
  return {
    make: async <Name extends ChangeName>(name: Name, ...args: ChangeArgs<Name>) =>
      change(keeper, name, args) as Changed<Name>,
    close: async () => {},
  };
}
