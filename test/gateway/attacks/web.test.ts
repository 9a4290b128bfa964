import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPlace, type Place } from "../place.ts";

const LIST = "GET /api/v1/conversations";
const CREATE = "POST /api/v1/conversations";

describe("a web page of a stranger", () => {
  let place: Place;
  let host: string;
  let cookie: string;
  beforeAll(async () => {
    place = await openPlace({}, { hosts: ["chat.example.com"] });
    host = `127.0.0.1:${place.port}`;
    const code = place.auth.signInLink("").split("=")[1];
    const headers = { origin: `http://${host}`, "sec-fetch-site": "same-origin" };
    const answer = await place.call("POST /auth/token", { as: null, body: { code, cookies: true }, headers });
    cookie = [answer.headers["set-cookie"] ?? []]
      .flat()
      .map((line) => line.split(";", 1)[0])
      .join("; ");
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const put = (text: string): string => text.replaceAll("PORT", String(place.port)).replaceAll("HOST", host);

  it.each([
    ["its own name pointed at this machine", "rebind.evil.example:PORT"],
    ["a name that begins like ours", "127.0.0.1.evil.example:PORT"],
    ["a name that ends like ours", "evil-localhost:PORT"],
    ["a subdomain of localhost", "evil.localhost:PORT"],
    ["localhost with a dot at the end", "localhost.:PORT"],
    ["our name without the port", "127.0.0.1"],
    ["our name with another port", "127.0.0.1:1"],
    ["our address as a number", "2130706433:PORT"],
    ["our address in hexadecimal", "0x7f000001:PORT"],
    ["our address in short", "127.1:PORT"],
    ["another loopback address", "127.0.0.2:PORT"],
    ["the address of every interface", "0.0.0.0:PORT"],
    ["a wildcard IPv6 address", "[::]:PORT"],
    ["an IPv4-mapped address", "[::ffff:127.0.0.1]:PORT"],
  ])("cannot use the gateway through %s", async (_, name) => {
    const answer = await place.call(LIST, { headers: { host: put(name) } });
    expect([400, 403]).toContain(answer.status);
  });

  it("cannot use the gateway through X-Forwarded-Host", async () => {
    const headers = { host: "evil.example", "x-forwarded-host": host, forwarded: `host=${host}` };
    expect((await place.call(LIST, { headers })).status).toBe(403);
  });

  it.each([
    ["null", "null"],
    ["another site", "http://evil.example"],
    ["another site over HTTPS", "https://evil.example"],
    ["a site that begins like ours", "http://127.0.0.1.evil.example"],
    ["another port of this machine", "http://127.0.0.1:1"],
    ["another name of this machine", "http://localhost:PORT"],
    ["ours with a path", "http://HOST/page"],
    ["ours with a user", "http://x@HOST"],
    ["a file", "file://"],
    ["an extension", "chrome-extension://abcdefghijklmnop"],
    ["nothing", ""],
  ])("cannot send a request with the origin %s", async (_, origin) => {
    const headers = { origin: put(origin), cookie };
    expect((await place.call(CREATE, { as: null, body: {}, headers })).status).toBe(403);
    const preflight = await place.call("OPTIONS /api/v1/conversations", { as: null, headers });
    expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it.each([
    ["without an origin", {}],
    ["that the browser calls cross-site", { origin: "http://HOST", "sec-fetch-site": "cross-site" }],
    ["that the browser calls same-site", { origin: "http://HOST", "sec-fetch-site": "same-site" }],
    ["that the browser calls none", { origin: "http://HOST", "sec-fetch-site": "none" }],
    ["that has two origins", { origin: ["http://HOST", "http://evil.example"] }],
    ["that only has our Referer", { referer: "http://HOST/" }],
  ])("cannot use the cookie in a request %s", async (_, headers) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value].flat().map(put)]),
    );
    for (const line of [CREATE, "POST /auth/logout", "POST /auth/ticket"]) {
      const body = line === CREATE ? { body: {} } : {};
      const answer = await place.call(line, { as: null, ...body, headers: { ...sent, cookie } });
      expect([line, answer.status]).toEqual([line, 403]);
    }
    const session = await place.call("GET /auth/session", { as: null, headers: { cookie } });
    expect(session.json()).toMatchObject({ signedIn: true });
  });

  it.each([
    ["the name that only HTTPS can set", "__Host-colloquy-access=PLANTED; OURS"],
    ["the same name", "colloquy-access-PORT=PLANTED; OURS"],
    ["the same name, behind ours", "OURS; colloquy-access-PORT=PLANTED"],
  ])("cannot make a browser somebody else with a planted cookie of %s", async (_, text) => {
    const planted = place.secrets.get("read") ?? "";
    const cookies = put(text).replace("PLANTED", planted).replace("OURS", cookie);
    const session = await place.call("GET /auth/session", { as: null, headers: { cookie: cookies } });
    expect(session.json<{ permission: string }>().permission).not.toBe("read");
  });

  it("cannot make a browser somebody else over HTTPS, with a cookie that HTTP can set", async () => {
    const headers = {
      host: "chat.example.com",
      origin: "https://chat.example.com",
      cookie: put(`colloquy-access-PORT=${place.secrets.get("read")}`),
    };
    expect((await place.call("GET /auth/session", { as: null, headers })).json()).toMatchObject({
      signedIn: false,
    });
  });

  it.each([
    ["HTML", "text/html", "<script>1</script>"],
    ["SVG", "image/svg+xml", "<svg onload='1'/>"],
    ["XML", "application/xhtml+xml", "<script/>"],
    ["PDF", "application/pdf", "%PDF-1.4"],
    ["a script", "text/javascript", "1"],
    ["a type with a line break", "image/png%0d%0aX-A: b", "x"],
    ["HTML that is called an image", "image/png", "<script>1</script>"],
  ])("cannot run an upload of %s", async (name, type, text) => {
    const stored = await place.call("POST /api/v1/blobs", { body: Buffer.from(text) });
    const { hash } = stored.json<{ hash: string }>();
    const { headers } = await place.call(`GET /api/v1/blobs/${hash}?type=${type}`);
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
      "content-type": name.includes("called an image") ? "image/png" : "application/octet-stream",
      ...(name.includes("called an image") ? {} : { "content-disposition": "attachment" }),
    });
    expect(headers["x-a"]).toBeUndefined();
  });

  it.each([
    ["a form", "application/x-www-form-urlencoded", "title=x"],
    ["plain text", "text/plain", '{"title":"x"}'],
    ["a multipart form", "multipart/form-data; boundary=x", "--x--"],
  ])("cannot send a body as %s", async (_, type, body) => {
    const answer = await place.call(CREATE, { body, headers: { "content-type": type } });
    expect(answer.status).toBe(415);
  });

  it.each([
    ["GET /auth/logout", 405],
    ["GET /auth/token?code=x", 405],
    ["GET /auth/ticket", 405],
  ])("cannot change anything with a link: %s", async (line, status) => {
    expect((await place.call(line, { as: null, headers: { cookie } })).status).toBe(status);
  });

  it("cannot turn a GET into a DELETE with a header", async () => {
    const headers = { "x-http-method-override": "DELETE", "x-method-override": "DELETE" };
    const { id } = (await place.call(CREATE, { body: {} })).json<{ id: string }>();
    expect((await place.call(`GET /api/v1/conversations/${id}`, { headers })).status).toBe(200);
    expect((await place.call(`GET /api/v1/conversations/${id}`)).status).toBe(200);
  });

  it("cannot sign a browser in as somebody else", async () => {
    const code = place.auth.signInLink("").split("=")[1];
    const body = { code, cookies: true };
    expect((await place.call("POST /auth/token", { as: null, body })).status).toBe(403);
    const headers = { origin: "http://evil.example" };
    expect((await place.call("POST /auth/token", { as: null, body, headers })).status).toBe(403);
  });

  it("cannot read an answer in a frame, a script or an image", async () => {
    const { headers } = await place.call(LIST);
    expect(headers).toMatchObject({
      "x-frame-options": "DENY",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });
});
