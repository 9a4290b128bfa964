import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { isLoopback, isSpecial } from "./addresses.ts";
import { guardedFetch } from "./guarded-fetch.ts";

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const limits = { timeoutMs: 10_000, bytesMax: 1000 };

describe("an outgoing request", () => {
  it("carries its headers and its body, and returns the answer", async () => {
    const url = await served(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      response.setHeader("x-seen", `${request.method} ${request.url} ${request.headers["x-key"]} ${body}`);
      response.writeHead(418).end("short and stout");
    });
    const ask = guardedFetch({ baseUrl: url, ...limits, headers: async () => ({ "x-key": "42" }) });
    const response = await ask(`${url}/pot`, { method: "POST", body: "tea", headers: { "x-key": "0" } });
    expect([response.status, response.headers.get("x-seen"), await response.text()]).toEqual([
      418,
      "POST /pot 42 tea",
      "short and stout",
    ]);
  });

  it("never goes to another origin, so that a key stays where it belongs", async () => {
    const seen: string[] = [];
    const other = await served((request, response) => {
      seen.push(request.url ?? "");
      response.end();
    });
    const home = await served((_, response) => response.writeHead(302, { location: `${other}/moved` }).end());
    const ask = guardedFetch({ baseUrl: home, ...limits, headers: async () => ({ "x-key": "42" }) });
    await expect(ask(other)).rejects.toMatchObject({ code: "NETWORK_ERROR", message: /another server/ });
    await expect(ask(home)).rejects.toMatchObject({ code: "NETWORK_ERROR", message: /redirect/ });
    expect(seen).toEqual([]);
  });

  it("ends when the answer is too large", async () => {
    const url = await served((_, response) => response.end("x".repeat(1001)));
    const ask = guardedFetch({ baseUrl: url, ...limits });
    await expect(ask(url)).rejects.toMatchObject({ code: "NETWORK_ERROR", message: /more than 1.0 kB/ });
  });

  describe("of an answer that is streamed", () => {
    const streaming = { timeoutMs: 60_000, silenceMs: 60_000, bytesMax: 1000 };

    it("returns each part when it arrives", async () => {
      const { promise: goOn, resolve } = Promise.withResolvers<void>();
      const url = await served(async (_, response) => {
        response.write("one");
        await goOn;
        response.end("two");
      });
      const { body } = await guardedFetch({ baseUrl: url, ...streaming })(url);
      const parts: string[] = [];
      for await (const part of body ?? []) {
        parts.push(Buffer.from(part).toString());
        resolve();
      }
      expect(parts).toEqual(["one", "two"]);
    });

    it.each([
      ["silent", { silenceMs: 20 }, /sent nothing for 0.02 s/, () => {}],
      ["cut off", {}, /broke off/, (response: ServerResponse) => response.destroy()],
      ["too large", {}, /more than 1.0 kB/, (response: ServerResponse) => response.end("x".repeat(1001))],
    ])("fails when it is %s", async (_name, limit, message, act) => {
      const { promise: goOn, resolve } = Promise.withResolvers<void>();
      const url = await served(async (_, response) => {
        response.write("one");
        await goOn;
        act(response);
      });
      const { body } = await guardedFetch({ baseUrl: url, ...streaming, ...limit })(url);
      const reading = (async () => {
        for await (const _ of body ?? []) resolve();
      })();
      await expect(reading).rejects.toMatchObject({ code: "NETWORK_ERROR", message });
    });

    it("ends with the reason of the signal", async () => {
      const url = await served((_, response) => void response.write("one"));
      const stop = new AbortController();
      const ask = guardedFetch({ baseUrl: url, ...streaming });
      const { body } = await ask(url, { signal: stop.signal });
      const reading = (async () => {
        for await (const _ of body ?? []) stop.abort(new Error("enough"));
      })();
      await expect(reading).rejects.toThrow("enough");
    });
  });

  it("reports a server that is not there, and a name that does not exist", async () => {
    const url = await served(() => {});
    const gone = new URL(url);
    gone.port = "1";
    await expect(guardedFetch({ baseUrl: gone.href, ...limits })(gone)).rejects.toMatchObject({
      code: "NETWORK_ERROR",
      message: /cannot be reached: .*ECONNREFUSED/,
    });
    const missing = "https://does-not-exist.invalid";
    await expect(guardedFetch({ baseUrl: missing, ...limits })(missing)).rejects.toMatchObject({
      code: "NETWORK_ERROR",
      message: /cannot be reached/,
    });
  });

  it("is sent again when the server ended the connection that it used again", async () => {
    const seen: string[] = [];
    const sockets = new WeakSet<object>();
    const url = await served((request, response) => {
      seen.push(sockets.has(request.socket) ? "again" : "new");
      if (sockets.has(request.socket)) request.socket.destroy();
      sockets.add(request.socket);
      response.end("here");
    });
    const ask = guardedFetch({ baseUrl: url, ...limits });
    for (let count = 0; count < 2; count++) expect(await (await ask(url)).text()).toBe("here");
    expect(seen).toEqual(["new", "again", "new"]);
  });

  it("reaches this machine by its name", async () => {
    const url = (await served((_, response) => response.end("here"))).replace("127.0.0.1", "localhost");
    expect(await (await guardedFetch({ baseUrl: url, ...limits })(url)).text()).toBe("here");
  });
});

describe("addresses", () => {
  it.each([
    ["127.0.0.1", true, false],
    ["127.9.9.9", true, false],
    ["::1", true, false],
    ["::ffff:127.0.0.1", true, false],
    ["::ffff:169.254.169.254", false, true],
    ["169.254.169.254", false, true],
    ["fe80::1", false, true],
    ["0.0.0.0", false, true],
    ["224.0.0.1", false, true],
    ["255.255.255.255", false, true],
    ["10.0.0.8", false, false],
    ["93.184.216.34", false, false],
    ["2606:4700::1111", false, false],
  ])("%s", (address, loopback, special) => {
    expect([isLoopback(address), isSpecial(address)]).toEqual([loopback, special]);
  });
});
