import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DiagnosisView, ListOf, SettingView } from "../../src/gateway/wire/rest.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { openPlace, type Place } from "./place.ts";

const API = "/api/v1/settings";
const SECRET = "cqt_a-secret-that-nobody-may-see";
const CONFIG = `{
  // Mine.
  gateway: { auth: { token: "${SECRET}" } },
  sessions: { tree: { max_depth: 12 } },
}
`;

const KEPT = [
  "mcp.servers",
  "mcp.servers.x.command",
  "plugins.entries",
  "tools.exec.security",
  "approvals.default",
  "env.vars.PATH",
  "gateway.auth.mode",
  "gateway.bind",
  "models.providers.openai.baseUrl",
  "agents.list",
  "memory.embedding.baseUrl",
  "channels.telegram.apiRoot",
  "sessionsX",
];

function fileOf(place: Place): string {
  return join(place.stateDir, "colloquy.json");
}

async function settingsOf(place: Place): Promise<ReadonlyMap<string, SettingView>> {
  const { items } = (await place.call(`GET ${API}`)).json<ListOf<SettingView>>();
  return new Map(items.map((setting) => [setting.path, setting]));
}

describe("settings over HTTP", () => {
  it("say where each value comes from, and never show a secret", async () => {
    await using place = await openPlace();
    writeFileSync(fileOf(place), CONFIG, { mode: 0o600 });
    const settings = await settingsOf(place);
    expect(settings.get("sessions.tree.max_depth")).toMatchObject({
      value: 12,
      source: "file",
      file: fileOf(place),
      line: 4,
      editable: true,
      secret: false,
    });
    expect(settings.get("sessions.tree.warning_depth")).toMatchObject({
      value: 7,
      source: "default",
      file: null,
      editable: true,
      kind: "an integer from 1 to 1000",
    });
    expect(settings.get("models.default")).toMatchObject({ value: null, source: "default" });
    expect(settings.get("gateway.auth.token")).toMatchObject({ secret: true, editable: false });
    expect(JSON.stringify([...settings.values()])).not.toContain(SECRET);
  });

  it("are changed in the file, which keeps its comments, and back to their default", async () => {
    await using place = await openPlace();
    writeFileSync(fileOf(place), CONFIG, { mode: 0o600 });
    const changed = await place.call(`PUT ${API}/sessions.tree.max_depth`, { body: { text: "20" } });
    expect(changed.json()).toEqual({
      path: "sessions.tree.max_depth",
      file: fileOf(place),
      changed: true,
      needsRestart: false,
    });
    const country = await place.call(`PUT ${API}/session.defaultCountry`, { body: { text: "DE" } });
    expect(country.json()).toMatchObject({ changed: true, needsRestart: true });
    expect(readFileSync(fileOf(place), "utf8")).toMatch(/\/\/ Mine\.[\s\S]*max_depth: 20/);
    const model = await place.call(`PUT ${API}/models.default`, { body: { text: "anthropic/claude" } });
    expect(model.json()).toMatchObject({ changed: true, needsRestart: false });
    expect((await settingsOf(place)).get("models.default")?.value).toBe("anthropic/claude");
    await place.call(`DELETE ${API}/sessions.tree.max_depth`);
    expect((await settingsOf(place)).get("sessions.tree.max_depth")).toMatchObject({
      value: 10,
      source: "default",
    });
  });

  it("refuse a wrong value with the reason, and leave the file alone", async () => {
    await using place = await openPlace();
    writeFileSync(fileOf(place), CONFIG, { mode: 0o600 });
    const refused = await place.call(`PUT ${API}/sessions.tree.max_depth`, { body: { text: "deep" } });
    expect(refused.status).toBe(400);
    expect(refused.json()).toMatchObject({
      error: { code: "VALIDATION_ERROR", message: expect.stringMatching(/integer/) },
    });
    expect(readFileSync(fileOf(place), "utf8")).toBe(CONFIG);
  });

  it("do not let a session change what runs programs, moves keys or lets people in", async () => {
    await using place = await openPlace();
    for (const path of KEPT) {
      expect([path, (await place.call(`PUT ${API}/${path}`, { body: { text: "x" } })).status]).toEqual([
        path,
        403,
      ]);
      expect([path, (await place.call(`DELETE ${API}/${path}`)).status]).toEqual([path, 403]);
    }
  });

  it("are for admins only", async () => {
    await using place = await openPlace();
    expect((await place.call(`GET ${API}`, { as: "write" })).status).toBe(403);
    expect((await place.call("GET /api/v1/doctor", { as: "write" })).status).toBe(403);
  });
});

describe("the doctor over HTTP", () => {
  it("checks the open store and says what to do", async () => {
    await using store = await openStore(`sqlite:${join(tempFolder(), "a.db")}`);
    await (await store.create()).append({ role: "user", content: "Hello" });
    await using place = await openPlace({}, { store });
    writeFileSync(fileOf(place), "{ sessions: { tree: { max_depth: 'deep' } } }", { mode: 0o600 });
    const [first, second] = await Promise.all([
      place.call("GET /api/v1/doctor"),
      place.call("GET /api/v1/doctor"),
    ]);
    const { ok, findings, checked } = first.json<DiagnosisView>();
    expect(checked).toContainEqual(expect.stringMatching(/a\.db, 1 conversation$/));
    expect(second.text).toBe(first.text);
    expect(ok).toBe(false);
    expect(findings).toContainEqual(
      expect.objectContaining({ severity: "error", what: expect.stringMatching(/max_depth/) }),
    );
    expect(findings.every(({ fix }) => fix !== null && fix !== "")).toBe(true);
  });
});
