/** Profiles as a table and as JSON. Neither shows more of a secret than its last four characters. */
import type { ProfileView } from "../../../state/credentials/index.ts";
import { isoTime } from "../../../util/time.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Output } from "../../output.ts";
import { table } from "../../terminal/table.ts";
import { timeAgo } from "../../terminal/time-ago.ts";

/** The properties of `--json`. */
export function profileJson(profile: ProfileView): Record<string, unknown> {
  const { id, provider, kind, origin, source, masked, problem, email } = profile;
  return {
    id,
    provider,
    kind,
    origin,
    source,
    masked,
    problem,
    email,
    expiresAt: time(profile.expiresAt),
    createdAt: time(profile.createdAt),
    lastUsed: time(profile.lastUsed),
    lastFailed: time(profile.lastFailed),
    lastFailure: profile.lastFailure ?? null,
    failureCount: profile.failureCount ?? 0,
    cooldownUntil: time(profile.cooldownUntil),
  };
}

export function time(ms: number | null | undefined): string | null {
  // 8.64e15 is the largest time of a Date; a file may contain any number.
  return ms === null || ms === undefined || ms > 8.64e15 ? null : isoTime(Math.trunc(ms));
}

export function sourceText({ source, origin }: ProfileView): string {
  const names = {
    env: `variable ${source.name}`,
    file: `file ${source.name}`,
    command: `command ${source.name}`,
    sealed: "sealed",
    plain: "plain text",
    none: "AWS SDK",
  };
  return origin === "openclaw" ? "OpenClaw" : names[source.type];
}

function stateText(profile: ProfileView, now: number): string {
  const { problem, cooldownUntil = 0, lastFailure, expiresAt } = profile;
  if (problem !== null) return problem;
  if (expiresAt !== null && expiresAt <= now) return `expired at ${time(expiresAt)}`;
  if (cooldownUntil > now) return `cooling down until ${time(cooldownUntil)} (${lastFailure ?? "failed"})`;
  return "ready";
}

export function profileTable(out: Output, profiles: readonly ProfileView[], now: number): string[] {
  const columns = [
    { title: "ID", rank: 0, min: 20 },
    { title: "KIND", rank: 3 },
    { title: "SECRET", rank: 2 },
    { title: "FROM", rank: 4, min: 12 },
    { title: "LAST USED", rank: 5 },
    { title: "STATE", rank: 1, min: 20 },
  ];
  const rows = profiles.map((profile) =>
    [
      profile.id,
      profile.kind,
      profile.masked ?? "–",
      sourceText(profile),
      timeAgo(time(profile.lastUsed), now),
      stateText(profile, now),
    ].map(safeLine),
  );
  return table(out, columns, rows);
}
