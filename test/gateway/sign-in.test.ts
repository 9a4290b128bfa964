import { describe, expect, it } from "vitest";
import { OWNER } from "../../src/gateway/auth/principal.ts";
import type { SignedIn } from "../../src/gateway/wire/auth.ts";
import { type Answer, openPlace, type Place } from "./place.ts";

const PASSWORD = "a horse that reads 71 maps";
const CONFIG = { gateway: { auth: { mode: "password", password: PASSWORD } } };
const LIST = "GET /api/v1/conversations";

const post = (place: Place, path: string, body: unknown, headers = {}): Promise<Answer> =>
  place.call(`POST ${path}`, { as: null, body, headers });

const fromPage = ({ port }: Place, cookie = "") => ({
  origin: `http://127.0.0.1:${port}`,
  "sec-fetch-site": "same-origin",
  ...(cookie === "" ? {} : { cookie }),
});

/** The cookies that a browser would send next. */
function cookiesOf({ headers }: Answer): string {
  const set = [headers["set-cookie"] ?? []].flat();
  return set.map((line) => line.split(";", 1)[0]).join("; ");
}

describe("signing in", () => {
  it("turns a password into tokens that work until they are renewed or ended", async () => {
    await using place = await openPlace({}, { config: CONFIG });
    expect((await post(place, "/auth/token", { password: "wrong" })).status).toBe(401);
    const first = (await post(place, "/auth/token", { password: PASSWORD })).json<SignedIn>();
    expect(first).toMatchObject({ user: OWNER, permission: "admin", scope: null });
    expect((await place.call(LIST, { as: first.accessToken })).status).toBe(200);
    const body = { refreshToken: first.refreshToken };
    const second = (await post(place, "/auth/refresh", body)).json<SignedIn>();
    expect(second.refreshToken).not.toBe(first.refreshToken);
    // The answer was lost, and the client asks again.
    expect((await post(place, "/auth/refresh", body)).json()).toMatchObject({
      refreshToken: second.refreshToken,
    });
    expect((await place.call("POST /auth/logout", { as: second.accessToken })).status).toBe(204);
    for (const { accessToken } of [first, second])
      expect((await place.call(LIST, { as: accessToken })).status).toBe(401);
    expect((await post(place, "/auth/refresh", { refreshToken: second.refreshToken })).status).toBe(401);
  });

  it("sends a browser cookies that its scripts cannot read, and no token", async () => {
    await using place = await openPlace();
    const link = place.auth.signInLink(place.gateway.url);
    const code = new URL(link).hash.slice("#sign-in=".length);
    const signedIn = await post(place, "/auth/token", { code, cookies: true }, fromPage(place));
    expect(signedIn.json()).toMatchObject({ accessToken: null, refreshToken: null });
    for (const line of [signedIn.headers["set-cookie"] ?? []].flat())
      expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    const cookie = cookiesOf(signedIn);
    expect((await place.call(LIST, { as: null, headers: { cookie } })).status).toBe(200);
    const state = await place.call("GET /auth/session", { as: null, headers: { cookie } });
    expect(state.json()).toMatchObject({ signedIn: true, user: OWNER, methods: ["token"] });
    const renewed = await post(place, "/auth/refresh", { cookies: true }, fromPage(place, cookie));
    expect(renewed.status).toBe(200);
    const out = await place.call("POST /auth/logout", {
      as: null,
      headers: fromPage(place, cookiesOf(renewed)),
    });
    expect([out.status, cookiesOf(out)]).toEqual([204, expect.stringMatching(/^colloquy-access-\d+=;/)]);
    expect((await place.call("GET /auth/session", { as: null, headers: { cookie } })).json()).toMatchObject({
      signedIn: false,
    });
  });

  it("uses cookies of the host alone over HTTPS", async () => {
    await using place = await openPlace({}, { hosts: ["chat.example.com"] });
    const code = place.auth.signInLink("").split("=")[1];
    const host = "chat.example.com";
    const headers = { host, origin: `https://${host}`, "sec-fetch-site": "same-origin" };
    const answer = await post(place, "/auth/token", { code, cookies: true }, headers);
    for (const line of [answer.headers["set-cookie"] ?? []].flat())
      expect(line).toMatch(/^__Host-colloquy-\w+=\S+; Path=\/; .*; Secure$/);
  });

  it("gives the count of wrong passwords of a known browser only to the owner", async () => {
    await using place = await openPlace();
    const cookiesWith = async (name: string): Promise<string> =>
      cookiesOf(
        await post(place, "/auth/token", { token: place.secrets.get(name), cookies: true }, fromPage(place)),
      );
    expect(await cookiesWith("admin")).toContain("colloquy-device");
    expect(await cookiesWith("read")).not.toContain("colloquy-device");
  });

  it("keeps a sign-in with a token within the token", async () => {
    await using place = await openPlace({ discord: { channels: ["discord"] } });
    const made = await place.auth.createToken({
      name: "bot",
      user: OWNER,
      permission: "read",
      scope: { channels: ["discord"] },
      expiresAt: null,
    });
    const session = (await post(place, "/auth/token", { token: made.secret })).json<SignedIn>();
    expect(session).toMatchObject({ permission: "read", scope: { channels: ["discord"] } });
    const access = { as: session.accessToken };
    expect((await place.call(LIST, access)).status).toBe(200);
    expect((await place.call("POST /api/v1/conversations", { ...access, body: {} })).status).toBe(403);
    expect((await place.call(`DELETE /api/v1/tokens/${made.info.id}`)).status).toBe(200);
    expect((await place.call(LIST, access)).status).toBe(401);
    expect((await post(place, "/auth/refresh", { refreshToken: session.refreshToken })).status).toBe(401);
  });

  it("lists tokens, devices and what happened, without a secret", async () => {
    await using place = await openPlace();
    const body = { name: "backup", permission: "read", expiresAt: "2999-01-01T00:00:00Z" };
    const made = (await place.call("POST /api/v1/tokens", { body })).json<{ id: string; token: string }>();
    const session = (await post(place, "/auth/token", { token: made.token })).json<SignedIn>();
    const texts = await Promise.all(
      ["tokens", "devices", "audit"].map(async (list) => (await place.call(`GET /api/v1/${list}`)).text),
    );
    for (const text of texts) expect(text).toContain(made.id.slice(0, 4));
    for (const secret of [made.token, session.refreshToken, session.accessToken])
      expect(texts.join()).not.toContain(secret);
    const [device] = (await place.call("GET /api/v1/devices")).json<{ items: { id: string }[] }>().items;
    expect((await place.call(`DELETE /api/v1/devices/${device?.id}`)).status).toBe(204);
    expect((await place.call(LIST, { as: session.accessToken })).status).toBe(401);
  });
});
