import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPlace, type Place } from "../place.ts";

const OURS = "0198c0de-1111-7222-8333-444455556666";
const OTHERS = "0198c0de-aaaa-7222-8333-444455556666";

describe("a hostile request", () => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace({ one: { conversations: [OURS] } });
    for (const [id, key] of [
      [OURS, "web:ours"],
      [OTHERS, "web:secret"],
    ])
      expect(
        (await place.call("POST /api/v1/conversations", { body: { id, key, title: `the plan of ${key}` } }))
          .status,
      ).toBe(201);
  });
  afterAll(() => place[Symbol.asyncDispose]());

  it.each([
    ["dots", "/../../../../etc/passwd"],
    ["encoded dots", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd"],
    ["dots that are encoded twice", "/%252e%252e/%252e%252e/etc/passwd"],
    ["encoded slashes", "/..%2f..%2f..%2fetc%2fpasswd"],
    ["backslashes", "/..\\..\\..\\etc\\passwd"],
    ["encoded backslashes", "/..%5c..%5c..%5cetc%5cpasswd"],
    ["dots in overlong UTF-8", "/%c0%ae%c0%ae/etc/passwd"],
    ["dots in fullwidth", "/%ef%bc%8e%ef%bc%8e/etc/passwd"],
    ["a file of the state folder", "/gateway.db"],
    ["a file behind the page", "/assets/../../package.json"],
    ["a file behind the page, encoded", "/assets/%2e%2e/%2e%2e/package.json"],
    ["an absolute path", "//etc/passwd"],
    ["a NUL in a name", "/index.html%00.js"],
    ["a drive", "/C:/Windows/win.ini"],
    ["a URL", "/file:///etc/passwd"],
  ])("reads no file with %s", async (_, path) => {
    const answer = await place.call(`GET ${path}`, { as: null });
    expect([400, 401, 403, 404]).toContain(answer.status);
    expect(answer.text).not.toMatch(/root:|SQLite format|devDependencies/);
  });

  it.each([
    ["the id of another conversation", OTHERS],
    ["its id in capital letters", OTHERS.toUpperCase()],
    ["its id with an encoded letter", OTHERS.replace("a", "%61")],
    ["its key", "web:secret"],
    ["its key, encoded", "web%3Asecret"],
    ["its key in capital letters", "WEB:SECRET"],
    ["the start of its id", OTHERS.slice(0, 13)],
    ["a way out of ours", `${OURS}/../${OTHERS}`],
    ["an encoded way out of ours", `${OURS}%2f..%2f${OTHERS}`],
    ["a NUL behind ours", `${OURS}%00${OTHERS}`],
    ["a line break behind ours", `${OURS}%0a${OTHERS}`],
    ["__proto__", "__proto__"],
    ["constructor", "constructor"],
    ["a wildcard", "*"],
    ["SQL", "x'%20OR%20'1'='1"],
    ["an overlong id", "a".repeat(8000)],
    ["bytes that are not UTF-8", "%ff%fe"],
  ])("does not leave its scope with %s", async (_, id) => {
    for (const line of [`GET /api/v1/conversations/${id}`, `GET /api/v1/conversations/${id}/messages`]) {
      const answer = await place.call(line, { as: "one" });
      expect([400, 403, 404, 414]).toContain(answer.status);
      expect(answer.text).not.toContain("the plan of web:secret");
    }
    expect((await place.call(`GET /api/v1/conversations/${OURS}`, { as: "one" })).status).toBe(200);
  });

  it.each([
    ["GET /api/v1/tokens"],
    ["GET /api/v1/devices"],
    ["GET /api/v1/audit"],
    ["GET /api/v1/settings"],
    ["POST /api/v1/conversations"],
  ])("does not leave its scope with %s", async (line) => {
    const body = line.startsWith("POST") ? { body: { key: "web:secret" } } : {};
    expect((await place.call(line, { as: "one", ...body })).status).toBe(403);
  });

  it("lists no conversation outside of its scope", async () => {
    const answer = await place.call("GET /api/v1/conversations", { as: "one" });
    expect(answer.text).toContain(OURS);
    expect(answer.text).not.toContain(OTHERS);
  });

  it.each(["__proto__", "constructor", "prototype"])("does not pass with the property %s", async (name) => {
    const bodies = [`{"${name}":{"admin":true}}`, `{"title":"x","${name}":1}`];
    bodies.push(`{"messages":[{"role":"user","content":[{"type":"text","text":"x","${name}":{"x":1}}]}]}`);
    for (const body of bodies)
      for (const line of [
        "POST /api/v1/conversations",
        `POST /api/v1/conversations/${OURS}/messages`,
        "POST /auth/token",
        "POST /api/v1/tokens",
      ])
        expect((await place.call(line, { body })).status).toBe(400);
    expect((await place.call(`GET /api/v1/conversations?${name}=1`)).status).toBe(400);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  it.each<readonly [string, string | Buffer, Record<string, string>, number]>([
    ["a body of two megabytes", `{"title":"${"x".repeat(2 << 20)}"}`, {}, 413],
    ["a body that says it has a terabyte", "{}", { "content-length": "1099511627776" }, 413],
    [
      "a body of two megabytes without a length",
      `{"title":"${"x".repeat(2 << 20)}"}`,
      { "transfer-encoding": "chunked" },
      413,
    ],
    ["a body that is nested a thousand levels", `{"title":${"[".repeat(1000)}${"]".repeat(1000)}}`, {}, 400],
    [
      "a compressed body",
      Buffer.from([31, 139, 8, 0]),
      { "content-encoding": "gzip", "content-type": "application/json" },
      415,
    ],
    [
      "a body that is not UTF-8",
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      { "content-type": "application/json" },
      400,
    ],
    ["half a body", '{"title":', {}, 400],
    ["an unknown property", '{"titel":"x"}', {}, 400],
    ["a list for an object", "[]", {}, 400],
    ["null", "null", {}, 400],
  ])("is refused: %s", async (_, body, headers, status) => {
    const answer = await place
      .call("POST /api/v1/conversations", { body, headers })
      .catch(() => ({ status: 413 }));
    expect(answer.status).toBe(status);
    expect((await place.call("GET /health")).status).toBe(200);
  });

  it.each<readonly [string, string, RegExp]>([
    [
      "headers of a megabyte",
      `GET /health HTTP/1.1\r\nHost: H\r\nX: ${"x".repeat(1 << 20)}\r\n\r\n`,
      /^HTTP\/1\.1 431|^$/,
    ],
    [
      "a thousand headers",
      `GET /health HTTP/1.1\r\nHost: H\r\n${"X: y\r\n".repeat(3000)}\r\n`,
      /^HTTP\/1\.1 (?:431|400)/,
    ],
    [
      "two lengths",
      "POST /api/v1/conversations HTTP/1.1\r\nHost: H\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
      /^HTTP\/1\.1 400/,
    ],
    [
      "a length and chunks",
      "POST /api/v1/conversations HTTP/1.1\r\nHost: H\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      /^HTTP\/1\.1 400/,
    ],
    [
      "a line break in a header",
      "GET /health HTTP/1.1\r\nHost: H\r\nX: a\nSet-Cookie: b\r\n\r\n",
      /^HTTP\/1\.1 400/,
    ],
    [
      "a space before a colon",
      "GET /health HTTP/1.1\r\nHost: H\r\nTransfer-Encoding : chunked\r\n\r\n",
      /^HTTP\/1\.1 400/,
    ],
    [
      "a way around a proxy's rules",
      "GET /api/v1/./tokens/../conversations HTTP/1.1\r\nHost: H\r\n\r\n",
      /^HTTP\/1\.1 400/,
    ],
    ["the same, encoded", "GET /public/%2E%2e/api/v1/tokens HTTP/1.1\r\nHost: H\r\n\r\n", /^HTTP\/1\.1 400/],
    ["a whole URL", "GET http://127.0.0.1/health HTTP/1.1\r\nHost: H\r\n\r\n", /^HTTP\/1\.1 400/],
    ["a host with a user", "GET /health HTTP/1.1\r\nHost: H@evil.example\r\n\r\n", /^HTTP\/1\.1 40[03]/],
    ["two hosts", "GET /health HTTP/1.1\r\nHost: H\r\nHost: evil.example\r\n\r\n", /^HTTP\/1\.1 40[03]/],
    ["a folded header", "GET /health HTTP/1.1\r\nHost: H\r\n evil.example\r\n\r\n", /^HTTP\/1\.1 400/],
    ["lines without a carriage return", "GET /health HTTP/1.1\nHost: H\n\n", /^HTTP\/1\.1 400/],
    [
      "two ways to send a body",
      "POST /auth/token HTTP/1.1\r\nHost: H\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
      /^HTTP\/1\.1 400/,
    ],
    [
      "a length with a sign",
      "POST /auth/token HTTP/1.1\r\nHost: H\r\nContent-Length: +2\r\n\r\n{}",
      /^HTTP\/1\.1 400/,
    ],
    [
      "HTTP/2 without TLS",
      "GET /health HTTP/1.1\r\nHost: H\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
      /^HTTP\/1\.1 404/,
    ],
    ["no host", "GET /health HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 40[03]/],
    ["no host in HTTP/1.0", "GET /health HTTP/1.0\r\n\r\n", /^HTTP\/1\.1 40[03]/],
    ["CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: H\r\n\r\n", /^$|^HTTP\/1\.1 4/],
    ["TRACE", "TRACE /health HTTP/1.1\r\nHost: H\r\n\r\n", /^HTTP\/1\.1 40[045]/],
    [
      "a second request behind a chunk",
      "POST /auth/token HTTP/1.1\r\nHost: H\r\nTransfer-Encoding: xchunked\r\n\r\nGET /api/v1/tokens HTTP/1.1\r\n\r\n",
      /^HTTP\/1\.1 (?:400|501|415)/,
    ],
  ])("is refused on the wire: %s", async (_, text, expected) => {
    const socket = connect(place.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(text.replaceAll("Host: H", `Host: 127.0.0.1:${place.port}`));
    const pieces: Buffer[] = [];
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    await Promise.race([once(socket, "data"), once(socket, "close")]).catch(() => {});
    socket.destroy();
    expect(Buffer.concat(pieces).toString()).toMatch(expected);
  });
});
