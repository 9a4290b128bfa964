/** Profiles, cooldowns and fallbacks, with credentials in a real state folder. */
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ModelEvent } from "../../src/agent/index.ts";
import { type Credentials, openCredentials } from "../../src/state/credentials/index.ts";
import { modelServer, type Step } from "../support/models/model-server.ts";
import { ask, CANARY, eventsOf, modelOn } from "../support/models/model-target.ts";
import { tempFolder } from "../support/temp-folder.ts";

const API = "anthropic-messages";
const DONE: Step = [{ text: "Done" }];

async function withProfiles(names: readonly string[], clock = { now: 1_790_000_000_000 }) {
  const stateDir = tempFolder();
  const credentials = openCredentials({ stateDir, env: {}, clock: () => clock.now });
  for (const name of names) {
    await credentials.add({ provider: "anthropic", name, secret: { value: `${CANARY}-${name}` } });
    clock.now += 1000;
  }
  await credentials.setOrder(
    "anthropic",
    names.map((name) => `anthropic:${name}`),
  );
  return { stateDir, credentials, clock };
}

/** The profiles and models that failed, and who answered. */
function story(events: readonly ModelEvent[]): (string | undefined)[] {
  return events.flatMap((event) => {
    if (event.type === "failure") return [`failed ${event.profileId ?? event.model}`];
    return event.type === "end" ? [`${event.profileId ?? event.model} answered`] : [];
  });
}

async function usage(credentials: Credentials): Promise<object> {
  const views = await credentials.list();
  return Object.fromEntries(
    views.map(({ id, lastFailure, cooldownUntil }) => [id, [lastFailure, cooldownUntil]]),
  );
}

describe("profiles", () => {
  it("are tried in order, and those that failed are paused", async () => {
    const { credentials, clock } = await withProfiles(["one", "two", "three"]);
    await using server = await modelServer([{ status: 401 }, { status: 429 }, DONE, DONE, DONE]);
    const model = modelOn(server, API, { credentials, env: {} });
    const first = await eventsOf(model, ask("Hm"));
    expect(story(first.events)).toEqual([
      "failed anthropic:one",
      "failed anthropic:two",
      "anthropic:three answered",
    ]);
    expect(await usage(credentials)).toEqual({
      "anthropic:one": ["auth", clock.now + 60_000],
      "anthropic:two": ["rate-limit", clock.now + 60_000],
      "anthropic:three": [undefined, undefined],
    });
    const second = await eventsOf(model, ask("Hm"));
    expect(story(second.events)).toEqual(["anthropic:three answered"]);
    clock.now += 60_001;
    const third = await eventsOf(model, ask("Hm"));
    expect(story(third.events)).toEqual(["anthropic:one answered"]);
    expect(await usage(credentials)).toMatchObject({ "anthropic:one": [undefined, undefined] });
    expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual(
      ["one", "two", "three", "three", "one"].map((name) => `${CANARY}-${name}`),
    );
  });

  it("that are all paused after a limit are not asked, and the user learns until when", async () => {
    const { credentials, clock } = await withProfiles(["one"]);
    await using server = await modelServer([{ status: 429 }, DONE]);
    const model = modelOn(server, API, { credentials, env: {} });
    await eventsOf(model, ask("Hm"));
    const { error } = await eventsOf(model, ask("Hm"));
    expect(error).toMatchObject({
      code: "RATE_LIMITED",
      message: /paused/,
      details: { until: clock.now + 60_000 },
    });
    expect(server.requests).toHaveLength(1);
  });

  it("that are paused because a server was down are asked again", async () => {
    const { credentials } = await withProfiles(["one"]);
    await using server = await modelServer([{ status: 529 }, "cut", DONE]);
    const model = modelOn(server, API, { credentials, env: {} });
    expect((await eventsOf(model, ask("Hm"))).error).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect((await eventsOf(model, ask("Hm"))).error).toMatchObject({ code: "NETWORK_ERROR" });
    expect(story((await eventsOf(model, ask("Hm"))).events)).toEqual(["anthropic:one answered"]);
  });

  it("without credit rest for hours", async () => {
    const { credentials, clock } = await withProfiles(["one"]);
    await using server = await modelServer([{ status: 400, message: "Your credit balance is too low" }]);
    await eventsOf(modelOn(server, API, { credentials, env: {} }), ask("Hm"));
    expect(await usage(credentials)).toEqual({ "anthropic:one": ["billing", clock.now + 5 * 3_600_000] });
  });

  it("are not to blame for a request that is wrong", async () => {
    const { credentials } = await withProfiles(["one", "two"]);
    await using server = await modelServer([{ status: 400, message: "prompt is too long" }, DONE]);
    const { events, error } = await eventsOf(
      modelOn(server, API, { credentials, env: {}, fallbacks: ["groq/tiny"] }),
      ask("Hm"),
    );
    expect(events).toEqual([]);
    expect(error).toMatchObject({ details: { kind: "context-length" } });
    expect(await usage(credentials)).toMatchObject({ "anthropic:one": [undefined, undefined] });
    expect(server.requests).toHaveLength(1);
  });

  it("can be chosen, and then no other is used", async () => {
    const { credentials } = await withProfiles(["one", "two"]);
    await using server = await modelServer([DONE, { status: 401 }]);
    const env = { ANTHROPIC_API_KEY: CANARY };
    const model = modelOn(server, API, { credentials, env, profileId: "anthropic:two" });
    expect(story((await eventsOf(model, ask("Hm"))).events)).toEqual(["anthropic:two answered"]);
    expect((await eventsOf(model, ask("Hm"))).error).toMatchObject({ code: "UNAUTHORIZED" });
    expect(server.requests).toHaveLength(2);
  });

  it("that fail after the first word are not replaced: half an answer is not said twice", async () => {
    const { credentials } = await withProfiles(["one", "two"]);
    await using server = await modelServer([[{ text: "Half" }, { fault: "cut" }], DONE]);
    const { events, error } = await eventsOf(modelOn(server, API, { credentials, env: {} }), ask("Hm"));
    expect(events).toEqual([{ type: "text", text: "Half" }]);
    expect(error).toMatchObject({ code: "NETWORK_ERROR" });
    expect(server.requests).toHaveLength(1);
  });

  it("leave no key in events, errors or files", async () => {
    const { credentials, stateDir } = await withProfiles(["one", "two"]);
    await using server = await modelServer(({ headers }, index) => ({
      status: index === 0 ? 401 : 403,
      message: `No access for ${headers["x-api-key"]}`,
    }));
    const { events, error } = await eventsOf(modelOn(server, API, { credentials, env: {} }), ask("Hm"));
    const shown = events.map((event) =>
      event.type === "failure" ? [event, event.error.message, event.error.stack] : event,
    );
    const { message: said, stack, details } = error as Error & { details: object };
    expect(JSON.stringify([shown, said, stack, details, error])).not.toContain(CANARY);
    const files = readdirSync(stateDir, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    for (const { parentPath, name } of files) {
      expect(readFileSync(join(parentPath, name), "utf8"), name).not.toContain(CANARY);
    }
  });

  it("work although their use cannot be recorded", async () => {
    const { credentials, stateDir } = await withProfiles(["one"]);
    await using server = await modelServer([DONE]);
    const notices: string[] = [];
    const folder = join(stateDir, "agents", "main", "auth");
    chmodSync(folder, 0o500);
    const onNotice = (message: string): void => void notices.push(message);
    const { events, error } = await eventsOf(
      modelOn(server, API, { credentials, env: {}, onNotice }),
      ask("Hm"),
    );
    chmodSync(folder, 0o700);
    expect(error).toBeUndefined();
    expect(story(events)).toEqual(["anthropic:one answered"]);
    // The superuser may write everywhere.
    if (process.getuid?.() !== 0) expect(notices).toHaveLength(1);
  });
});

describe("fallback models", () => {
  it("are asked when no profile of the first one answers", async () => {
    const { credentials } = await withProfiles(["one"]);
    await using server = await modelServer([{ status: 529 }, { status: 404 }, DONE]);
    const env = { OPENAI_API_KEY: CANARY, GROQ_API_KEY: CANARY };
    const fallbacks = ["openai/gpt-6-sol", "google/gemini-3.8-flash", "groq/tiny"];
    const { events } = await eventsOf(modelOn(server, API, { credentials, env, fallbacks }), ask("Hm"));
    // There is no key for Google, whose server is on this machine here.
    expect(story(events).at(-1)).toBe("google/gemini-3.8-flash answered");
    expect(story(events).slice(0, 2)).toEqual(["failed anthropic:one", "failed openai/gpt-6-sol"]);
  });

  it("that fail too make one error of all", async () => {
    await using server = await modelServer([{ status: 529, message: "Overloaded" }, { status: 401 }]);
    const { error } = await eventsOf(modelOn(server, API, { fallbacks: ["openai/gpt-6-sol"] }), ask("Hm"));
    expect(error).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: expect.stringMatching(/Overloaded.*colloquy auth add openai/),
    });
  });
});

it("a model without a key says how to add one", async () => {
  await using server = await modelServer([]);
  const models = { providers: {} };
  const { error } = await eventsOf(modelOn(server, API, { env: {}, models }), ask("Hm"));
  expect(error).toMatchObject({
    code: "UNAUTHORIZED",
    message: expect.stringMatching(/Set ANTHROPIC_API_KEY, or pass credentials$/),
  });
  const { credentials } = await withProfiles([]);
  const other = await eventsOf(modelOn(server, API, { env: {}, models, credentials }), ask("Hm"));
  expect(other.error).toMatchObject({
    message: expect.stringMatching(/colloquy auth add anthropic, or set ANTHROPIC_API_KEY$/),
  });
});
