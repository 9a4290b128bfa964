import { describe, expect, it } from "vitest";
import { Auth } from "../../../src/gateway/auth/auth.ts";
import { OWNER } from "../../../src/gateway/auth/principal.ts";
import type { JsonObject } from "../../../src/util/json.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { type Answer, openPlace, type Place } from "../place.ts";

const PASSWORD = "a horse that reads 71 maps";
const MINUTE = 60_000;
const WITH_TOKENS = { trustedProxies: ["127.0.0.1"] };
const WITH_PASSWORD = { ...WITH_TOKENS, auth: { mode: "password", password: PASSWORD } };

interface Kit {
  readonly place: Place;
  readonly time: { now: number };
  login(body: unknown, from?: string, headers?: Record<string, string>): Promise<Answer>;
  /** Failures that need no hash. */
  fail(times: number, from?: string | ((n: number) => string)): Promise<number[]>;
}

async function attacked(
  work: (kit: Kit) => Promise<void>,
  config: JsonObject = WITH_PASSWORD,
): Promise<void> {
  const time = { now: Date.now() };
  await using place = await openPlace({}, { config: { gateway: config }, clock: () => time.now });
  const login: Kit["login"] = (body, from = "198.51.100.7", headers = {}) =>
    place.call("POST /auth/token", { as: null, body, headers: { "x-forwarded-for": from, ...headers } });
  const fail: Kit["fail"] = async (times, from = "198.51.100.7") => {
    const statuses: number[] = [];
    for (let n = 0; n < times; n++) {
      const address = typeof from === "string" ? from : from(n);
      statuses.push((await login({ token: `cqt_guess-${n}` }, address)).status);
    }
    return statuses;
  };
  await work({ place, time, login, fail });
}

const LIMITED = 429;

describe("guessing a password", () => {
  const CASES: readonly (readonly [name: string, attack: (kit: Kit) => Promise<void>])[] = [
    [
      "a sixth time within a minute, even with the right one",
      async ({ login, fail }) => {
        expect(await fail(5)).toEqual([401, 401, 401, 401, 401]);
        const answer = await login({ password: PASSWORD });
        expect([answer.status, answer.headers["retry-after"]]).toEqual([LIMITED, "60"]);
      },
    ],
    [
      "from sixty addresses within a minute",
      async ({ login, fail }) => {
        expect(await fail(60, (n) => `198.51.100.${n}`)).not.toContain(LIMITED);
        expect((await login({ password: PASSWORD }, "203.0.113.1")).status).toBe(LIMITED);
      },
    ],
    [
      "many times at once",
      async ({ login }) => {
        const answers = await Promise.all(
          Array.from({ length: 30 }, () => login({ password: "wrong guess" })),
        );
        expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
        expect(answers.filter(({ status }) => status === LIMITED)).toHaveLength(25);
      },
    ],
    [
      "with the cookie of a device that it invented",
      async ({ login, fail, place }) => {
        await fail(5);
        const cookie = `colloquy-device-${place.port}=cqd_${"A".repeat(43)}`;
        expect((await login({ password: PASSWORD }, undefined, { cookie })).status).toBe(LIMITED);
      },
    ],
  ];
  /** Wrong tokens count like wrong passwords, and need no hash. */
  const FASTER: typeof CASES = [
    [
      "a twenty-first time within an hour",
      async ({ time, fail }) => {
        for (let minute = 0; minute < 4; minute++) {
          expect(await fail(5)).not.toContain(LIMITED);
          time.now += MINUTE;
        }
        expect(await fail(1)).toEqual([LIMITED]);
        time.now += 60 * MINUTE;
        expect(await fail(1)).toEqual([401]);
      },
    ],
    [
      "from many addresses of one IPv6 network",
      async ({ fail }) => expect(await fail(6, (n) => `2001:db8:0:1:${n}::1`)).toContain(LIMITED),
    ],
    [
      "from one address written in many ways",
      async ({ fail }) => {
        const ways = [
          "10.0.0.1",
          "::ffff:10.0.0.1",
          "::FFFF:a00:1",
          "0:0:0:0:0:ffff:10.0.0.1",
          "::ffff:10.0.0.1%eth0",
          "::ffff:0a00:0001",
        ];
        expect((await fail(6, (n) => ways[n] ?? "")).at(-1)).toBe(LIMITED);
      },
    ],
    [
      "with addresses that it invents in front of the proxy's",
      async ({ fail }) => expect((await fail(6, (n) => `192.0.2.${n}, 198.51.100.7`)).at(-1)).toBe(LIMITED),
    ],
    [
      "with an address that is not one",
      async ({ fail }) => expect((await fail(6, (n) => `attacker-${n}`)).at(-1)).toBe(LIMITED),
    ],
  ];

  it.each(FASTER)("does not pass: %s", (_, attack) => attacked(attack, WITH_TOKENS));

  it.each(CASES)("does not pass: %s", (_, attack) => attacked(attack));

  it("does not pass from loopback either, or with X-Forwarded-For from nobody's proxy", async () => {
    await attacked(
      async ({ fail }) => expect((await fail(6, (n) => `198.51.100.${n}`)).at(-1)).toBe(LIMITED),
      {},
    );
  });

  it("does not pass after a restart", async () => {
    const stateDir = tempFolder();
    const client = {
      address: "198.51.100.7",
      agent: null,
      origin: null,
      isSecure: false,
      port: 1,
      isLocal: false,
    };
    const attempt = async (): Promise<unknown> => {
      await using auth = await Auth.open({ stateDir, config: {} });
      return auth
        .signIn({ token: "cqt_guess" }, { ...client, headers: () => [] })
        .catch((error) => error.code);
    };
    for (let n = 0; n < 5; n++) expect(await attempt()).toBe("UNAUTHORIZED");
    expect(await attempt()).toBe("RATE_LIMITED");
  });

  it("does not lock out the owner's browser, token or link", async () => {
    await attacked(async ({ place, login, fail }) => {
      const page = { origin: `http://127.0.0.1:${place.port}` };
      const known = await login({ password: PASSWORD, cookies: true }, "203.0.113.1", page);
      const cookie = [known.headers["set-cookie"] ?? []]
        .flat()
        .map((line) => line.split(";", 1)[0])
        .join("; ");
      await fail(70, (n) => `198.51.100.${n}`);
      expect((await login({ password: PASSWORD }, "203.0.113.1")).status).toBe(LIMITED);
      expect((await login({ password: PASSWORD }, "203.0.113.1", { cookie })).status).toBe(200);
      const same = { name: "mine", user: OWNER, permission: "admin", scope: null, expiresAt: null } as const;
      expect((await login({ token: (await place.auth.createToken(same)).secret })).status).toBe(200);
      expect((await login({ code: place.auth.signInLink("").split("=")[1] })).status).toBe(200);
    });
  });

  it("takes as long for a wrong length as for a wrong letter, and learns nothing from the words", async () => {
    await attacked(async ({ login }) => {
      const answers = await Promise.all(
        ["x", PASSWORD.slice(0, -1), ""].map((password) => login({ password })),
      );
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });
  });
});

describe("a login", () => {
  const BODIES: readonly (readonly [name: string, body: unknown])[] = [
    ["nothing", {}],
    ["two ways at once", { password: PASSWORD, token: "cqt_x" }],
    ["a password that is an object", { password: { $ne: null } }],
    ["a password that is a list", { password: [PASSWORD] }],
    ["a password that is true", { password: true }],
    ["a password of a megabyte", { password: "x".repeat(500_000) }],
    ["an unknown property", { password: PASSWORD, admin: true }],
    ["a user of its choice", { password: PASSWORD, user: "root" }],
    ["a permission of its choice", { password: PASSWORD, permission: "admin" }],
    ["Tailscale where it is off", { tailscale: true }],
  ];

  it.each(BODIES)("does not pass with %s", (_, body) =>
    attacked(async ({ login }) => {
      expect([400, 401, 413]).toContain((await login(body)).status);
    }, WITH_TOKENS),
  );

  it("does not pass with a link that was used, or is ten minutes old", async () => {
    await attacked(async ({ place, time, login }) => {
      const [used, late] = [place.auth.signInLink(""), place.auth.signInLink("")].map(
        (link) => link.split("=")[1],
      );
      expect((await login({ code: used })).status).toBe(200);
      expect((await login({ code: used })).status).toBe(401);
      time.now += 10 * MINUTE;
      expect((await login({ code: late })).status).toBe(401);
    }, WITH_TOKENS);
  });

  it("ends when the password changes", async () => {
    await attacked(async ({ place, login }) => {
      const { accessToken } = (await login({ password: PASSWORD })).json<{ accessToken: string }>();
      await place.auth.configure({ auth: { mode: "password", password: "quite another 42 horses" } });
      expect((await place.call("GET /api/v1/conversations", { as: accessToken })).status).toBe(401);
      expect((await login({ password: PASSWORD })).status).toBe(401);
    });
  });
});
