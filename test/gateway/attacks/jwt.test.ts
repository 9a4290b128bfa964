import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OWNER } from "../../../src/gateway/auth/principal.ts";
import type { SignedIn } from "../../../src/gateway/wire/auth.ts";
import { openPlace, type Place } from "../place.ts";

type Claims = Record<string, unknown>;

/** Everything that a forger could know, and the signing key, which they could not. */
interface Kit {
  readonly place: Place;
  readonly token: string;
  readonly header: Claims;
  readonly claims: Claims;
  readonly key: Buffer;
  /** Signed with the real key. */
  forged(header: Claims, claims?: Claims, key?: Buffer | string): string;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (text = ""): Claims => JSON.parse(Buffer.from(text, "base64url").toString());

function without(claims: Claims, name: string): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
}

async function kitOf(place: Place): Promise<Kit> {
  const { secret } = await place.auth.createToken({
    name: "reader",
    user: OWNER,
    permission: "read",
    scope: null,
    expiresAt: null,
  });
  const answer = await place.call("POST /auth/token", { as: null, body: { token: secret } });
  const token = answer.json<SignedIn>().accessToken ?? "";
  const [header, claims] = token.split(".").slice(0, 2).map(decode) as [Claims, Claims];
  const row = place.auth.records.get("SELECT secret FROM keys WHERE id = ?", String(header.kid));
  const key = Buffer.from(String(row?.secret), "base64url");
  const forged: Kit["forged"] = (head, body = claims, secretKey = key) => {
    const signed = `${encode(head)}.${encode(body)}`;
    return `${signed}.${createHmac("sha256", secretKey).update(signed).digest("base64url")}`;
  };
  return { place, token, header, claims, key, forged };
}

const SECOND = 1000;
const now = (): number => Math.floor(Date.now() / SECOND);
const hmac = (algorithm: string, { header, claims, key }: Kit, alg: string): string => {
  const signed = `${encode({ ...header, alg })}.${encode(claims)}`;
  return `${signed}.${createHmac(algorithm, key).update(signed).digest("base64url")}`;
};
const own = generateKeyPairSync("rsa", { modulusLength: 2048 });
const jwk = own.publicKey.export({ format: "jwk" });
const rsa = (header: Claims, { claims }: Kit): string => {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), own.privateKey).toString("base64url")}`;
};

const FORGERIES: readonly (readonly [name: string, forge: (kit: Kit) => string])[] = [
  [
    "alg none without a signature",
    ({ header, claims }) => `${encode({ ...header, alg: "none" })}.${encode(claims)}.`,
  ],
  [
    "alg nOnE in mixed case",
    ({ header, claims }) => `${encode({ ...header, alg: "nOnE" })}.${encode(claims)}.`,
  ],
  [
    "alg none with the signature of another token",
    (kit) => `${encode({ ...kit.header, alg: "none" })}.${kit.token.split(".").slice(1).join(".")}`,
  ],
  ["HS384 with the right key", (kit) => hmac("sha384", kit, "HS384")],
  ["HS512 with the right key", (kit) => hmac("sha512", kit, "HS512")],
  ["RS256 with a key of the forger", (kit) => rsa({ ...kit.header, alg: "RS256" }, kit)],
  ["a key embedded as jwk", (kit) => rsa({ ...kit.header, alg: "RS256", jwk }, kit)],
  [
    "a symmetric key embedded as jwk",
    ({ header, forged }) =>
      forged({ ...header, jwk: { kty: "oct", k: "AAAA" } }, undefined, Buffer.from("AAAA", "base64url")),
  ],
  [
    "a key at a jku of the forger",
    (kit) => rsa({ ...kit.header, alg: "RS256", jku: "http://127.0.0.1:1/jwks" }, kit),
  ],
  ["a certificate of the forger as x5c", (kit) => rsa({ ...kit.header, alg: "RS256", x5c: ["MIIB"] }, kit)],
  ["no kid", ({ header, forged }) => forged(without(header, "kid"))],
  ["an unknown kid", ({ header, forged }) => forged({ ...header, kid: "0000000000000000" })],
  [
    "a kid that is a path, with an empty key",
    ({ header, forged }) => forged({ ...header, kid: "../../../dev/null" }, undefined, ""),
  ],
  ["a kid with SQL", ({ header, forged }) => forged({ ...header, kid: "x' OR '1'='1" })],
  ["a kid that is a list", ({ header, forged }) => forged({ ...header, kid: [header.kid] })],
  ["a kid that is __proto__", ({ header, forged }) => forged({ ...header, kid: "__proto__" }, undefined, "")],
  ["an unknown critical header", ({ header, forged }) => forged({ ...header, crit: ["exp2"], exp2: 1 })],
  ["a payload that is not encoded", ({ header, forged }) => forged({ ...header, b64: false, crit: ["b64"] })],
  ["no typ", ({ header, forged }) => forged(without(header, "typ"))],
  ["the typ of another kind of token", ({ header, forged }) => forged({ ...header, typ: "JWT" })],
  ["no iss", ({ header, claims, forged }) => forged(header, without(claims, "iss"))],
  ["no aud", ({ header, claims, forged }) => forged(header, without(claims, "aud"))],
  ["no sub", ({ header, claims, forged }) => forged(header, without(claims, "sub"))],
  ["no exp", ({ header, claims, forged }) => forged(header, without(claims, "exp"))],
  ["no iat", ({ header, claims, forged }) => forged(header, without(claims, "iat"))],
  ["no jti", ({ header, claims, forged }) => forged(header, without(claims, "jti"))],
  ["no sid", ({ header, claims, forged }) => forged(header, without(claims, "sid"))],
  ["another iss", ({ header, claims, forged }) => forged(header, { ...claims, iss: "https://evil.example" })],
  ["another aud", ({ header, claims, forged }) => forged(header, { ...claims, aud: "other-gateway" })],
  ["an expired token", ({ header, claims, forged }) => forged(header, { ...claims, exp: now() - 1 })],
  ["an exp that is text", ({ header, claims, forged }) => forged(header, { ...claims, exp: "never" })],
  [
    "a token that is not valid yet",
    ({ header, claims, forged }) => forged(header, { ...claims, nbf: now() + 60 }),
  ],
  ["a token from the future", ({ header, claims, forged }) => forged(header, { ...claims, iat: now() + 60 })],
  ["the sub of another user", ({ header, claims, forged }) => forged(header, { ...claims, sub: "mallory" })],
  [
    "an unknown sid",
    ({ header, claims, forged }) =>
      forged(header, { ...claims, sid: "00000000-0000-7000-8000-000000000000" }),
  ],
  ["a sid that is an object", ({ header, claims, forged }) => forged(header, { ...claims, sid: { id: 1 } })],
  [
    "a tampered payload",
    ({ token, claims }) =>
      [token.split(".")[0], encode({ ...claims, sub: "root" }), token.split(".")[2]].join("."),
  ],
  ["a tampered signature", ({ token }) => `${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`],
  ["an empty signature", ({ token }) => `${token.split(".").slice(0, 2).join(".")}.`],
  ["a truncated token", ({ token }) => token.slice(0, token.length / 2)],
  ["a token with five parts", ({ token }) => `${token}.a.b`],
  ["a header that is not JSON", ({ token }) => `AAAA.${token.split(".").slice(1).join(".")}`],
  ["a token of five thousand characters", ({ token }) => token + "A".repeat(5000)],
  ["a guessed access secret", () => `cqt_${"A".repeat(43)}`],
];

describe("a forged access token", () => {
  let place: Place;
  let kit: Kit;
  beforeAll(async () => {
    place = await openPlace();
    kit = await kitOf(place);
  });
  afterAll(() => place[Symbol.asyncDispose]());

  it.each(FORGERIES)("does not pass: %s", async (_, forge) => {
    const answer = await place.call("GET /api/v1/conversations", { as: forge(kit) });
    expect([answer.status, answer.json()]).toEqual([
      401,
      { error: expect.objectContaining({ code: "UNAUTHORIZED" }) },
    ]);
    // So that the case does not pass because everything is refused.
    expect((await place.call("GET /api/v1/conversations", { as: kit.token })).status).toBe(200);
    expect((await place.call("GET /api/v1/conversations", { as: kit.forged(kit.header) })).status).toBe(200);
  });

  it("does not raise its permission with claims of its own", async () => {
    await using place = await openPlace();
    const { header, claims, forged } = await kitOf(place);
    const more = { permission: "admin", permissions: ["admin"], scope: "admin", role: "admin" };
    const answer = await place.call("GET /api/v1/tokens", { as: forged(header, { ...claims, ...more }) });
    expect(answer.status).toBe(403);
  });

  it("does not outlive its key", async () => {
    await using place = await openPlace();
    const { token } = await kitOf(place);
    place.auth.rotateKeys();
    expect((await place.call("GET /api/v1/conversations", { as: token })).status).toBe(200);
    place.auth.rotateKeys({ now: true });
    expect((await place.call("GET /api/v1/conversations", { as: token })).status).toBe(401);
  });

  it("does not outlive its sign-in", async () => {
    await using place = await openPlace();
    const { token, claims } = await kitOf(place);
    await place.auth.revokeDevice(String(claims.sid), OWNER);
    expect((await place.call("GET /api/v1/conversations", { as: token })).status).toBe(401);
  });

  it.each([
    ["in the URL", "GET /api/v1/conversations?access_token=TOKEN", {}],
    [
      "as a second Authorization header",
      "GET /api/v1/conversations",
      { authorization: ["Bearer x", "Bearer TOKEN"] },
    ],
    ["as Basic", "GET /api/v1/conversations", { authorization: "Basic TOKEN" }],
    ["without a scheme", "GET /api/v1/conversations", { authorization: "TOKEN" }],
    ["in another header", "GET /api/v1/conversations", { "x-auth-token": "TOKEN" }],
    [
      "twice as a cookie",
      "GET /api/v1/conversations",
      { cookie: "__Host-colloquy-access=x; __Host-colloquy-access=TOKEN" },
    ],
  ])("is not accepted %s", async (_, line, headers) => {
    const { token } = kit;
    const put = (text: string): string => text.replace("TOKEN", token);
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(put) : put(value),
      ]),
    );
    expect((await place.call(put(line), { as: null, headers: sent })).status).toBe(401);
  });
});
