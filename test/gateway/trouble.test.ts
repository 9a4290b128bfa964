import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { until } from "../support/until.ts";
import { openPlace, type Place } from "./place.ts";

const API = "/api/v1/conversations";
const MESSAGE = { messages: [{ role: "user", content: "hello" }] };

describe("a store that fails under a request", () => {
  it("is a 503 if it is read-only, and can still be read", async () => {
    const target = `sqlite:${join(tempFolder(), "store.db")}`;
    const writable = await openStore(target);
    const { id } = await writable.create();
    await writable.close();
    await using store = await openStore(target, { readonly: true });
    await using place = await openPlace({}, { store });
    const written = await place.call(`POST ${API}/${id}/messages`, { body: MESSAGE });
    expect([written.status, written.json()]).toMatchObject([503, { error: { code: "SERVICE_UNAVAILABLE" } }]);
    expect((await place.call(`GET ${API}/${id}`)).status).toBe(200);
  });

  it("is a 503 if it is closed, and the gateway lives", async () => {
    const store = await openStore("ephemeral:");
    await using place = await openPlace({}, { store });
    await store.close();
    for (const line of [`GET ${API}`, `GET ${API}/web:a`, "GET /api/v1/search?q=a", "GET /api/v1/status"]) {
      expect([line, (await place.call(line)).status]).toEqual([line, 503]);
    }
    expect((await place.call("GET /health")).status).toBe(200);
  });

  it("is not a reason to sign in again", async () => {
    await using place = await openPlace();
    expect((await place.call("GET /auth/session")).json()).toMatchObject({ signedIn: true });
    expect((await place.call("GET /auth/session", { as: "cqt_wrong" })).json()).toMatchObject({
      signedIn: false,
    });
    place.auth.records.close();
    expect((await place.call("GET /auth/session")).status).toBeGreaterThanOrEqual(500);
  });
});

describe("a client that vanishes", () => {
  const head = (place: Place, line: string, more = ""): string =>
    `${line} HTTP/1.1\r\nHost: 127.0.0.1:${place.port}\r\nAuthorization: Bearer ${place.secrets.get("admin")}\r\n${more}`;

  it.each([
    ["before its request", () => ""],
    ["in its headers", (place: Place) => head(place, `GET ${API}`)],
    ["in its body", (place: Place, id: string) => unfinished(place, `POST ${API}/${id}/messages`)],
    ["in an upload", (place: Place) => unfinished(place, "POST /api/v1/blobs")],
    ["before its answer", (place: Place) => `${head(place, `GET ${API}`)}\r\n`],
    ["in a stream", (place: Place) => `${head(place, "GET /api/v1/changes")}\r\n`],
  ])("%s leaves nothing behind", async (_, text) => {
    await using place = await openPlace();
    const conversation = await place.store.create();
    const before = connections();
    const socket = connect(place.port, "127.0.0.1");
    socket.on("error", () => {});
    await new Promise<void>((resolve) => socket.write(text(place, conversation.id) || "G", () => resolve()));
    socket.destroy();
    await until(() => connections() <= before);
    expect((await place.call("GET /health")).status).toBe(200);
    expect((await conversation.info()).messageCount).toBe(0);
  });

  /** Of this process, which is the gateway and its clients. */
  const connections = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;

  function unfinished(place: Place, line: string): string {
    return `${head(place, line, "Content-Type: application/json\r\nContent-Length: 1000\r\n")}\r\n{"messages":`;
  }
});
