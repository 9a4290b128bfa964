/** Plants secrets of many kinds everywhere, uses and misuses the gateway, and finds none of them in what it says. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ColloquyError } from "../../../src/errors.ts";
import { OWNER } from "../../../src/gateway/auth/principal.ts";
import { openLog } from "../../../src/gateway/log.ts";
import { ROUTES } from "../../../src/gateway/routes/table.ts";
import type { SignedIn } from "../../../src/gateway/wire/auth.ts";
import { openCredentials } from "../../../src/state/credentials/index.ts";
import { sha256Hex } from "../../../src/util/sha256.ts";
import { modelServer } from "../../support/models/model-server.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { type CallOptions, openPlace, type Place } from "../place.ts";

/** Random, and the same in every run. */
const random = (
  seed: string,
  length: number,
  from = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
): string =>
  Array.from(
    { length },
    (_, n) => from[Number.parseInt(sha256Hex(`${seed}${n}`).slice(0, 8), 16) % from.length],
  ).join("");
const hex = (seed: string, length: number): string => random(seed, length, "0123456789abcdef");

/** Kinds that are known by their shape, wherever they are. */
const SHAPED: Readonly<Record<string, string>> = {
  anthropic: `sk-ant-api03-${random("a", 40)}`,
  openai: `sk-proj-1${random("b", 40)}`,
  openrouter: `sk-or-v1-${hex("c", 48)}`,
  google: `AIza${random("d", 35)}`,
  googleOauth: `ya29.${random("e", 40)}`,
  aws: `AKIA${random("f", 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
  github: `ghp_${random("g", 36)}`,
  githubFine: `github_pat_${random("h", 40)}`,
  gitlab: `glpat-${random("i", 20)}`,
  slack: `xoxb-${random("j", 30, "0123456789")}`,
  stripe: `sk_live_${random("k", 24)}`,
  npm: `npm_${random("l", 36)}`,
  pypi: `pypi-${random("m", 60)}`,
  docker: `dckr_pat_${random("n", 27)}`,
  sendgrid: `SG.${random("o", 22)}.${random("p", 43)}`,
  huggingface: `hf_${random("q", 34)}`,
  replicate: `r8_${random("r", 37)}`,
  groq: `gsk_${random("s", 52)}`,
  xai: `xai-${random("t", 60)}`,
  perplexity: `pplx-${random("u", 40)}`,
  nvidia: `nvapi-${random("v", 60)}`,
  digitalocean: `dop_v1_${hex("w", 64)}`,
  shopify: `shpat_${hex("x", 32)}`,
  linear: `lin_api_${random("y", 40)}`,
  vault: `hvs.${random("z", 40)}`,
  tailscale: `tskey-auth-${random("1", 30)}`,
  databricks: `dapi${hex("2", 32)}`,
  twilio: `SK${hex("3", 32)}`,
  telegram: `123456789:${random("4", 35)}`,
  discord: `M${random("5", 25)}.${random("6", 6)}.${random("7", 38)}`,
  jwt: `eyJ${random("8", 20)}.eyJ${random("9", 30)}.${random("10", 43)}`,
  colloquy: `cqt_${random("11", 43)}`,
};
/** Kinds that only their place makes secret. */
const PLACED: Readonly<Record<string, string>> = {
  gatewayToken: random("12", 48),
  gatewayPassword: `${random("13", 12)} horse ${random("14", 8)}`,
  providerKey: random("15", 32),
  variable: random("16", 32),
  remotePassword: random("17", 24),
};
const PLANTED = { ...SHAPED, ...PLACED };

/** Secrets that are found in texts, by name. */
function leaks(texts: readonly string[], secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    texts.filter((text) => text.includes(secret)).map((text) => `${name}: ${text.slice(0, 300)}`),
  );
}

function plant({ stateDir }: Place, baseUrl: string): void {
  const config = {
    gateway: {
      auth: { mode: "password", password: PLACED.gatewayPassword, token: PLACED.gatewayToken },
      remote: { url: "https://box.example", password: PLACED.remotePassword, token: SHAPED.jwt },
    },
    channels: { discord: { token: SHAPED.discord }, telegram: { botToken: SHAPED.telegram } },
    models: {
      providers: {
        local: { baseUrl, apiKey: PLACED.providerKey, api: "openai-completions", models: [{ id: "small" }] },
      },
    },
    env: { vars: { SERVICE_TOKEN: PLACED.variable, ...SHAPED } },
    agents: { defaults: { system: `Never say ${SHAPED.anthropic}` } },
  };
  writeFileSync(join(stateDir, "colloquy.json"), JSON.stringify(config), { mode: 0o600 });
  writeFileSync(join(stateDir, ".env"), `OPENAI_API_KEY=${SHAPED.openai}\n`, { mode: 0o600 });
}

describe("no secret is in", () => {
  it("the answers of a gateway whose config, variables and credentials hold them", async () => {
    await using place = await openPlace();
    plant(place, "http://127.0.0.1:1/v1");
    const paths = ROUTES.filter(({ method, path }) => method === "GET" && !path.includes("{")).map(
      ({ path }) => path,
    );
    expect(paths).toEqual(
      expect.arrayContaining([
        "/api/v1/settings",
        "/api/v1/doctor",
        "/api/v1/tokens",
        "/metrics",
        "/openapi.json",
      ]),
    );
    const texts: string[] = [];
    for (const path of paths) {
      // The first never ends, and the second looks at the home folder of the user who runs the tests.
      if (["/api/v1/changes", "/api/v1/imports/found"].includes(path)) continue;
      texts.push((await place.call(`GET ${path}`)).text);
    }
    expect(texts.join().length).toBeGreaterThan(10_000);
    expect(leaks(texts, PLANTED)).toEqual([]);
  });

  it("errors about requests that have them in the wrong place", async () => {
    const problems: string[] = [];
    const note = (fields: object, text: string): void => void problems.push(JSON.stringify([fields, text]));
    const log = { info: note, warn: note, error: note };
    await using place = await openPlace({}, { log, onProblem: ({ message }) => problems.push(message) });
    const texts: string[] = [];
    for (const [n, secret] of Object.values(SHAPED).entries()) {
      const at = encodeURIComponent(secret);
      for (const [line, options] of [
        [`GET /api/v1/conversations/${at}`, {}],
        [`GET /api/v1/blobs/${at}`, {}],
        [`GET /${at}`, {}],
        [`GET /api/v1/conversations?${at}=1`, {}],
        [`GET /api/v1/conversations?cursor=${at}`, {}],
        [`PUT /api/v1/settings/${at}`, { body: { text: "1" } }],
        [`DELETE /api/v1/tokens/${at}`, {}],
        ["POST /api/v1/conversations", { body: { [secret]: 1 } }],
        ["POST /api/v1/conversations", { body: { id: secret } }],
        ["POST /api/v1/conversations", { body: `{"title":"${secret}` }],
        ["POST /auth/token", { body: { token: secret }, as: null }],
        ["GET /api/v1/conversations", { as: secret }],
        ["GET /health", { headers: { host: secret } }],
        ["GET /health", { headers: { origin: `http://${secret}` } }],
      ].filter((_, line) => line % 2 === n % 2) as [string, CallOptions][]) {
        const answer = await place.call(line, options);
        // Only what went wrong is looked at: what was stored is returned.
        if (answer.status >= 400) texts.push(answer.text, JSON.stringify(answer.headers));
      }
    }
    expect(texts.length).toBeGreaterThan(150);
    expect(problems.length).toBeGreaterThan(150);
    expect(leaks([...texts, ...problems], SHAPED)).toEqual([]);
  });

  it("the records, lists and audit entries of those who signed in with them", async () => {
    const config = {
      gateway: { auth: { mode: "password", password: PLACED.gatewayPassword, token: PLACED.gatewayToken } },
    };
    await using place = await openPlace({}, { config });
    const page = { origin: `http://127.0.0.1:${place.port}` };
    const code = place.auth.signInLink("").split("=")[1] ?? "";
    const made = await place.auth.createToken({
      name: "x",
      user: OWNER,
      permission: "read",
      scope: null,
      expiresAt: null,
    });
    const session = (
      await place.call("POST /auth/token", { as: null, body: { token: made.secret } })
    ).json<SignedIn>();
    const browser = await place.call("POST /auth/token", {
      as: null,
      body: { password: PLACED.gatewayPassword, cookies: true },
      headers: page,
    });
    await place.call("POST /auth/token", { as: null, body: { code } });
    await place.call("POST /auth/token", { as: null, body: { token: PLACED.gatewayToken } });
    await place.call("POST /auth/token", { as: null, body: { password: SHAPED.github } });
    const cookies = [browser.headers["set-cookie"] ?? []].flat().map((line) => line.split(/[=;]/)[1] ?? "");
    const secrets = {
      code,
      made: made.secret,
      access: session.accessToken ?? "",
      refresh: session.refreshToken ?? "",
      ...Object.fromEntries(cookies.map((cookie, n) => [`cookie ${n}`, cookie])),
      token: PLACED.gatewayToken ?? "",
      password: PLACED.gatewayPassword ?? "",
      guess: SHAPED.github ?? "",
    };
    const tables = [
      "users",
      "tokens",
      "sign_ins",
      "refresh_tokens",
      "links",
      "devices",
      "failures",
      "audit",
      "settings",
    ];
    const rows = tables.map((table) => JSON.stringify(place.auth.records.all(`SELECT * FROM ${table}`)));
    const lists = await Promise.all(
      ["tokens", "devices", "audit"].map(async (list) => (await place.call(`GET /api/v1/${list}`)).text),
    );
    expect(Object.values(secrets).every((secret) => secret.length > 10)).toBe(true);
    expect(leaks([...rows, ...lists, browser.text], secrets)).toEqual([]);
  });

  it("the frames of a chat whose model and tools repeat them", async () => {
    await using model = await modelServer(({ headers }) => {
      const message = `Wrong: ${headers.authorization} ${Object.values(SHAPED).reverse().join(" ")}`;
      return { status: 401, body: JSON.stringify({ error: { message } }) };
    });
    const local = { baseUrl: model.baseUrls.openai, api: "openai-completions", models: [{ id: "small" }] };
    const problems: string[] = [];
    await using place = await openPlace(
      {},
      {
        config: { models: { default: "local/small", providers: { local } } },
        onProblem: ({ message }) => problems.push(message),
      },
    );
    const credentials = openCredentials({ stateDir: place.stateDir, env: {} });
    await credentials.add({
      provider: "local",
      kind: "api-key",
      secret: { value: PLACED.providerKey ?? "" },
    });
    const frames: string[] = [];
    const socket = new WebSocket(`ws://127.0.0.1:${place.port}/ws`);
    socket.on("message", (data) => frames.push(String(data)));
    const send = (id: string, method: string, params: object): void =>
      socket.send(JSON.stringify({ type: "req", id, method, params }));
    await new Promise((resolve) => socket.once("open", resolve));
    send("1", "auth", { protocol: 1, token: place.secrets.get("admin") });
    await expect.poll(() => frames.length).toBe(1);
    const { id } = (await place.call("POST /api/v1/conversations", { body: { key: "web:canary" } })).json<{
      id: string;
    }>();
    send("2", "subscribe", { topic: `conversation:${id}` });
    send("3", "chat.send", { conversation: id, text: "hello", idempotencyKey: "k" });
    for (const [n, secret] of Object.values(SHAPED).entries()) {
      send(`m${n}`, secret.slice(0, 64), {});
      send(`s${n}`, "subscribe", { topic: secret });
    }
    await expect
      .poll(() => frames.some((frame) => frame.includes("chat.failed")), { timeout: 20_000 })
      .toBe(true);
    await expect
      .poll(() => frames.filter((frame) => frame.includes('"s31"')).length, { timeout: 5000 })
      .toBe(1);
    socket.terminate();
    expect(model.requests[0]?.headers.authorization).toContain(PLACED.providerKey);
    expect(leaks([...frames, ...problems], { ...SHAPED, providerKey: PLACED.providerKey ?? "" })).toEqual([]);
  });

  it("the log and the status, whatever problems quote", async () => {
    const stateDir = tempFolder();
    const log = openLog(stateDir);
    const config = {
      gateway: { auth: { token: PLACED.gatewayToken }, remote: { password: PLACED.remotePassword } },
      models: { providers: { local: { baseUrl: "http://127.0.0.1:1/v1", apiKey: PLACED.providerKey } } },
    };
    const env = { SERVICE_TOKEN: PLACED.variable ?? "", GATEWAY_PASSWORD: PLACED.gatewayPassword ?? "" };
    await using place = await openPlace({}, { stateDir, config, env, log });
    for (const secret of Object.values(PLANTED)) {
      const forms = [secret, encodeURIComponent(secret), JSON.stringify({ secret }), btoa(secret)];
      await place.gateway.refuse(new ColloquyError("VALIDATION_ERROR", `In line 3: ${forms[0]}`));
      const status = await place.call("GET /api/v1/status");
      expect(leaks([status.text], PLANTED)).toEqual([]);
      for (const form of forms.slice(0, 3))
        log.error({ problem: form, in: { stack: `Error: ${form}` } }, form);
    }
    for (const secret of Object.values(PLACED)) log.info({ basic: btoa(secret) }, "encoded");
    await log[Symbol.asyncDispose]();
    const text = readFileSync(join(stateDir, "gateway.log"), "utf8");
    const lines = text.trim().split("\n");
    expect(lines.filter((line) => JSON.parse(line).problem?.includes("[redacted")).length).toBeGreaterThan(
      100,
    );
    expect(leaks([text], PLANTED)).toEqual([]);
    const encoded = Object.fromEntries(Object.entries(PLACED).map(([name, secret]) => [name, btoa(secret)]));
    expect(leaks([text], encoded)).toEqual([]);
  });

  it("an export", async () => {
    const config = { models: { providers: { local: { apiKey: PLACED.providerKey } } } };
    await using place = await openPlace({}, { config });
    const { id } = await place.store.create();
    const body = { messages: [{ role: "user", content: Object.values(SHAPED).join("\n") }] };
    await place.call(`POST /api/v1/conversations/${id}/messages`, { body });
    const known = { messages: [{ role: "user", content: `The key is ${PLACED.providerKey}` }] };
    await place.call(`POST /api/v1/conversations/${id}/messages`, { body: known });
    for (const to of ["markdown", "html", "json&redact=true"]) {
      const { status, text } = await place.call(`GET /api/v1/conversations/${id}/export?to=${to}`);
      expect([status, leaks([text], { ...SHAPED, key: PLACED.providerKey ?? "" })]).toEqual([200, []]);
    }
  });
});
