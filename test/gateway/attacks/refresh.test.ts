import { describe, expect, it, vi } from "vitest";
import { OWNER } from "../../../src/gateway/auth/principal.ts";
import type { SignedIn } from "../../../src/gateway/wire/auth.ts";
import { type Answer, openPlace, type Place } from "../place.ts";

const DAY = 86_400_000;
/** The tests speak through a proxy that is trusted, to come from several addresses. */
const CONFIG = { gateway: { trustedProxies: ["127.0.0.1"] } };

interface Thief {
  readonly place: Place;
  readonly time: { now: number };
  /** Of the victim, before and after it was renewed. */
  readonly first: SignedIn;
  renew(token: string | null, headers?: Record<string, string>): Promise<Answer>;
}

const VICTIM = { "user-agent": "victim", "x-forwarded-for": "198.51.100.7" };

async function thief(work: (kit: Thief) => Promise<void>): Promise<void> {
  const time = { now: Date.now() };
  await using place = await openPlace({}, { config: CONFIG, clock: () => time.now });
  const code = place.auth.signInLink("").split("=")[1];
  const first = (
    await place.call("POST /auth/token", { as: null, body: { code }, headers: VICTIM })
  ).json<SignedIn>();
  const renew: Thief["renew"] = (refreshToken, headers = VICTIM) =>
    place.call("POST /auth/refresh", { as: null, body: { refreshToken }, headers });
  await work({ place, time, first, renew });
}

/** Both the thief and the victim have to sign in again. */
async function expectEnded({ place, renew }: Thief, ...sessions: readonly SignedIn[]): Promise<void> {
  for (const { accessToken, refreshToken } of sessions) {
    expect((await place.call("GET /api/v1/conversations", { as: accessToken })).status).toBe(401);
    expect((await renew(refreshToken)).status).toBe(401);
  }
}

const THEFTS: readonly (readonly [name: string, theft: (kit: Thief) => Promise<void>])[] = [
  [
    "used again after ten seconds",
    async (kit) => {
      const second = (await kit.renew(kit.first.refreshToken)).json<SignedIn>();
      kit.time.now += 10_001;
      expect((await kit.renew(kit.first.refreshToken)).status).toBe(401);
      await expectEnded(kit, kit.first, second);
    },
  ],
  [
    "used again from another address within ten seconds",
    async (kit) => {
      const second = (await kit.renew(kit.first.refreshToken)).json<SignedIn>();
      const other = { ...VICTIM, "x-forwarded-for": "203.0.113.9" };
      expect((await kit.renew(kit.first.refreshToken, other)).status).toBe(401);
      await expectEnded(kit, kit.first, second);
    },
  ],
  [
    "used again by another program within ten seconds",
    async (kit) => {
      const second = (await kit.renew(kit.first.refreshToken)).json<SignedIn>();
      expect((await kit.renew(kit.first.refreshToken, { ...VICTIM, "user-agent": "curl" })).status).toBe(401);
      await expectEnded(kit, kit.first, second);
    },
  ],
  [
    "used by the thief first, then by the victim",
    async (kit) => {
      const stolen = (await kit.renew(kit.first.refreshToken, { "user-agent": "thief" })).json<SignedIn>();
      expect((await kit.renew(kit.first.refreshToken)).status).toBe(401);
      await expectEnded(kit, stolen);
    },
  ],
  [
    "raced by two clients",
    async (kit) => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          kit.renew(kit.first.refreshToken, { "user-agent": `racer ${n}` }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      await expectEnded(kit, kit.first);
    },
  ],
  [
    "raced by tabs of one browser, which all get the same token",
    async (kit) => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => kit.renew(kit.first.refreshToken)));
      const tokens = new Set(answers.map((answer) => answer.json<SignedIn>().refreshToken));
      expect(tokens.size).toBe(1);
      expect((await kit.renew([...tokens][0] ?? "")).status).toBe(200);
    },
  ],
  [
    "used after logout",
    async (kit) => {
      await kit.place.call("POST /auth/logout", { as: kit.first.accessToken });
      await expectEnded(kit, kit.first);
    },
  ],
  [
    "used after thirty days",
    async (kit) => {
      kit.time.now += 30 * DAY;
      await expectEnded(kit, kit.first);
    },
  ],
  [
    "of a device that was signed out",
    async (kit) => {
      const { items } = (await kit.place.call("GET /api/v1/devices")).json<{ items: { id: string }[] }>();
      await kit.place.auth.revokeDevice(items[0]?.id ?? "", OWNER);
      await expectEnded(kit, kit.first);
    },
  ],
  [
    "with one letter changed",
    async ({ first, renew }) => {
      const token = first.refreshToken ?? "";
      expect((await renew(token.replace(/.$/, (last) => (last === "A" ? "B" : "A")))).status).toBe(401);
      expect((await renew(token.toLowerCase())).status).toBe(401);
      expect((await renew(`${token} `)).status).toBe(401);
    },
  ],
  [
    "that is an access token",
    async ({ first, renew }) => expect((await renew(first.accessToken)).status).toBe(401),
  ],
  [
    "sent as an access token",
    async ({ first, place }) => {
      expect((await place.call("GET /api/v1/conversations", { as: first.refreshToken })).status).toBe(401);
    },
  ],
  [
    "sent where the code of a link is wanted",
    async ({ first, place }) => {
      const body = { code: first.refreshToken };
      expect((await place.call("POST /auth/token", { as: null, body })).status).toBe(401);
    },
  ],
  ["with SQL in it", async ({ renew }) => expect((await renew("' OR 1=1 --")).status).toBe(401)],
  [
    "that is a list",
    async ({ place, first }) => {
      const body = { refreshToken: [first.refreshToken] };
      expect((await place.call("POST /auth/refresh", { as: null, body })).status).toBe(400);
    },
  ],
  [
    "of ten thousand characters",
    async ({ renew }) => expect((await renew("x".repeat(10_000))).status).toBe(400),
  ],
];

describe("a refresh token whose answer waited for the disk", () => {
  it("can be used again for ten seconds after the answer, and not longer", async () => {
    await thief(async ({ place, time, first, renew }) => {
      const { records } = place.auth;
      const { write } = records;
      vi.spyOn(records, "write").mockImplementationOnce((work) => {
        const result = Reflect.apply(write, records, [work]);
        time.now += 12_000;
        return result;
      });
      const { refreshToken } = (await renew(first.refreshToken)).json<SignedIn>();
      expect((await renew(first.refreshToken)).json<SignedIn>().refreshToken).toBe(refreshToken);
      time.now += 10_001;
      expect((await renew(first.refreshToken)).status).toBe(401);
    });
  });
});

describe("a stolen refresh token", () => {
  it.each(THEFTS)("does not pass: %s", (_, theft) => thief(theft));

  it("is in no file of the gateway", async () => {
    await thief(async ({ place, first }) => {
      const rows = ["refresh_tokens", "sign_ins", "audit", "links", "settings", "devices"].flatMap((table) =>
        place.auth.records.all(`SELECT * FROM ${table}`),
      );
      expect(JSON.stringify(rows)).not.toContain(first.refreshToken);
    });
  });
});
