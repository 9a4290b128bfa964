import { describe, expect, it } from "vitest";
import { listenSettings } from "../../src/gateway/listen-settings.ts";
import { openPlace, request } from "./place.ts";

const API = "/api/v1/conversations";

describe("the doors of a gateway", () => {
  it("accept exactly the names of this machine with our port, and those that are configured", async () => {
    await using place = await openPlace({}, { hosts: ["Chat.example.com", "proxy.example.com:8443"] });
    const { port } = place;
    const good = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`];
    good.push("chat.example.com", `chat.example.com:${port}`, "proxy.example.com:8443");
    for (const host of good)
      expect((await place.call("GET /health", { headers: { host } })).status).toBe(200);
    const bad = ["localhost", `localhost:${port + 1}`, "evil.example", `localhost.:${port}`, "", "127.0.0.1"];
    bad.push(`127.0.0.1:${port}@evil.example`, `evil.example:${port}`, "proxy.example.com", `127.1:${port}`);
    for (const host of bad) {
      for (const path of ["/health", API, "/nowhere", "/"]) {
        const { status, json } = await place.call(`GET ${path}`, { headers: { host } });
        expect([host, status]).toEqual([host, /^$|@/.test(host) ? 400 : 403]);
        expect(json().error).toBeTypeOf("object");
      }
    }
  });

  it("are closed to a second gateway, which says why", async () => {
    await using place = await openPlace();
    await expect(openPlace({}, { port: place.port })).rejects.toThrow("the port is in use");
    await expect(openPlace({}, { hosts: ["http://evil.example/"] })).rejects.toThrow("is not a host name");
  });

  it.each([
    [{ bind: "lan" }, "gateway.hosts"],
    [{ bind: "custom" }, "gateway.customBindHost"],
    [{ bind: "custom", customBindHost: "::" }, "gateway.hosts"],
    [{ bind: "custom", customBindHost: "0:0:0:0:0:0:0:0" }, "gateway.hosts"],
    [{ bind: "custom", customBindHost: "0.0.0.0" }, "gateway.hosts"],
    [{ tls: { enabled: true } }, "gateway.tls.certPath"],
  ])("are not opened with %j", (settings, field) => {
    expect(() => listenSettings(settings)).toThrow(expect.objectContaining({ field }));
  });

  it("are where the config says", async () => {
    expect(listenSettings({})).toEqual({ host: undefined, port: undefined, tls: undefined });
    expect(listenSettings({ bind: "lan", hosts: ["a.example"], port: 1 })).toMatchObject({
      host: "0.0.0.0",
      port: 1,
    });
    await using place = await openPlace({}, { host: "127.0.0.2" });
    expect(place.gateway.url).toBe(`http://127.0.0.2:${place.port}`);
    expect(await (await fetch(`${place.gateway.url}/health`)).json()).toEqual({ ok: true });
    // The link that is printed works.
    await using everywhere = await openPlace({}, { host: "::" });
    expect(everywhere.gateway.url).toBe(`http://127.0.0.1:${everywhere.port}`);
    expect((await fetch(`${everywhere.gateway.url}/health`)).status).toBe(200);
  });

  it("refuse two host names and whole URLs", async () => {
    await using place = await openPlace();
    const host = `localhost:${place.port}`;
    expect((await place.call("GET /health", { headers: { host: [host, "evil.example"] } })).status).toBe(403);
    expect((await place.call(`GET http://${host}/health`)).status).toBe(400);
  });

  it("refuse the pages of other sites, and of no site", async () => {
    await using place = await openPlace();
    const host = `localhost:${place.port}`;
    const from = (origin: string) => place.call("GET /health", { headers: { host, origin } });
    expect((await from(`http://${host}`)).status).toBe(200);
    for (const origin of [
      "null",
      "http://evil.example",
      `http://127.0.0.1:${place.port}`,
      "http://localhost",
      "",
    ]) {
      expect((await from(origin)).status).toBe(403);
    }
  });

  it("refuse changes that another site asks for", async () => {
    await using place = await openPlace();
    const make = (site: string) =>
      place.call(`POST ${API}`, { body: {}, headers: { "sec-fetch-site": site } });
    expect((await make("same-origin")).status).toBe(201);
    for (const site of ["cross-site", "same-site", "none", ""]) expect((await make(site)).status).toBe(403);
    const read = await place.call(`GET ${API}`, { headers: { "sec-fetch-site": "cross-site" } });
    expect(read.status).toBe(200);
  });

  it("send headers that keep browsers from guessing, framing and caching", async () => {
    await using place = await openPlace();
    for (const path of ["/health", "/nowhere", API]) {
      const { headers } = await place.call(`GET ${path}`);
      expect(headers).toMatchObject({
        "content-security-policy": expect.stringMatching(
          /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/,
        ),
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });
});

describe("a request", () => {
  it("finds its route, or a 404 or 405 that says what is possible", async () => {
    await using place = await openPlace();
    expect((await place.call("GET /nowhere")).json()).toEqual({
      error: { code: "NOT_FOUND", message: "There is no such address", field: null },
    });
    const wrong = await place.call(`PUT ${API}`);
    expect([wrong.status, wrong.headers.allow]).toEqual([405, "GET, POST"]);
    expect((await place.call("OPTIONS /health")).status).toBe(405);
    expect((await place.call("HEAD /health")).status).toBe(200);
  });

  it("must sign in, with the permission", async () => {
    await using place = await openPlace();
    const nobody = await place.call(`GET ${API}`, { as: null });
    expect([nobody.status, nobody.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    expect((await place.call(`POST ${API}`, { as: "read", body: {} })).status).toBe(403);
    expect((await place.call(`POST ${API}`, { as: "write", body: {} })).status).toBe(201);
  });

  it("has a query of known properties with their types", async () => {
    await using place = await openPlace();
    for (const query of [
      "limit=x",
      "limit=0",
      "limit=1e9",
      "limit=",
      "trash=1",
      "nope=1",
      "limit=1&limit=2",
    ]) {
      const { status, json } = await place.call(`GET ${API}?${query}`);
      expect([query, status, json<{ error: { field: string } }>().error.field]).toEqual([
        query,
        400,
        query.split("=")[0],
      ]);
    }
  });

  it("has a body of JSON that is bounded", async () => {
    await using place = await openPlace();
    const post = (body: string | Uint8Array, headers?: Record<string, string>) =>
      place.call(`POST ${API}`, { body, ...(headers && { headers }) });
    const status = async (answer: Promise<{ status: number }>) => (await answer).status;
    expect(await status(post("{}", { "content-type": "text/plain" }))).toBe(415);
    expect(await status(post("{}", { "content-encoding": "gzip" }))).toBe(415);
    expect(await status(post("{}", { "content-type": "Application/JSON; charset=utf-8" }))).toBe(201);
    expect(await status(post("{"))).toBe(400);
    expect(await status(post("[]"))).toBe(400);
    expect(await status(post("null"))).toBe(400);
    expect(await status(post(Buffer.from([0x22, 0xff, 0x22]), { "content-type": "application/json" }))).toBe(
      400,
    );
    for (const name of ["__proto__", "constructor", "prototype"]) {
      expect(await status(post(`{"title":"a","${name}":{}}`))).toBe(400);
    }
    const { id } = await place.store.create();
    for (const name of ["__proto__", "constructor", "prototype"]) {
      const body = `{"messages":[{"role":"user","content":"a","extra":{"x":{"${name}":1}}}]}`;
      expect(await status(place.call(`POST ${API}/${id}/messages`, { body }))).toBe(400);
    }
    expect(await status(post(`{"title":${"[".repeat(65)}${"]".repeat(65)}}`))).toBe(400);
    expect(await status(post(`{"title":${"[".repeat(100_000)}`))).toBe(400);
    expect(await status(post(" ".repeat(1024 * 1024 + 1)))).toBe(413);
    expect(await status(post(" ".repeat(1024 * 1024 + 1), { "transfer-encoding": "chunked" }))).toBe(413);
    // The server lives.
    expect(await status(request(place.port, "GET /health"))).toBe(200);
  });
});
