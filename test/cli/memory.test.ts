import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { LineProcess } from "../support/processes/line-process.ts";
import { embeddingServer, openAiAnswer } from "../support/servers/embedding-server.ts";
import { until } from "../support/until.ts";
import { BIN, Place } from "./run-command.ts";

// Written in two parts, so that it is not taken for a template.
const VARIABLE = ["$", "{EMBED_TOKEN}"].join("");

function newPlace(): Place {
  const place = new Place();
  onTestFinished(() => place[Symbol.dispose]());
  return place;
}

describe("colloquy memory", () => {
  it("remembers, finds, lists and forgets notes and files", async () => {
    const place = newPlace();
    const note = await place.json([
      "memory",
      "add",
      "The harbour closes at nine",
      "--source",
      "note:port",
      "--importance",
      "0.9",
    ]);
    expect(note.chunks).toMatchObject([
      { source: "note:port", importance: 0.9, lines: { first: 1, last: 1 } },
    ]);
    mkdirSync(place.path("notes"));
    writeFileSync(place.path("notes", "boats.md"), "# Boats\n\nThe boat is red.\n");
    const hourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(place.path("notes", "boats.md"), hourAgo, hourAgo);
    writeFileSync(place.path("notes", "photo.md"), Buffer.from([1, 0, 2]));
    const first = await place.json(["memory", "index", "notes"]);
    expect(first).toMatchObject({ files: 2, unchanged: 0, added: 1, chunks: 2, pending: null });
    expect(first.skipped).toEqual([{ path: place.path("notes", "photo.md"), reason: "it is not text" }]);
    expect(await place.json(["memory", "index", "notes"])).toMatchObject({ unchanged: 1, added: 0 });
    const found = await place.json(["memory", "search", "when does the harbour close", "--explain"]);
    expect(found).toMatchObject({ mode: "keyword", notice: expect.stringMatching(/by words only/) });
    expect(found.chunks[0]).toMatchObject({ text: "The harbour closes at nine", explain: { text: 1 } });
    const { chunks, cursor } = await place.json(["memory", "list"]);
    expect([chunks.length, cursor]).toEqual([2, null]);
    const shown = await place.run(["memory", "search", "red boat"]);
    expect(shown.stdout).toContain("boats.md:1-3");
    const receipt = await place.json(["memory", "forget", "note:port"]);
    expect(receipt).toMatchObject({
      chunks: [note.chunks[0].id],
      sources: ["note:port"],
      bytes: 26,
      copies: [],
    });
    expect((await place.json(["memory", "search", "harbour"])).chunks).toEqual([]);
    const file = place.path("state", "memory.db");
    expect(readFileSync(file).includes("harbour")).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("embeds with the provider of the config, and never shows its token", async () => {
    const place = newPlace();
    const server = await embeddingServer(openAiAnswer(8));
    const token = "canary-token-0123456789";
    mkdirSync(place.state, { recursive: true });
    const embedding = { provider: "openai-compatible", model: "tiny", dimensions: 8, baseUrl: server.url };
    const config = { memory: { embedding: { ...embedding, apiToken: VARIABLE } } };
    writeFileSync(place.path("state", "colloquy.json"), JSON.stringify(config));
    const env = { EMBED_TOKEN: token };
    const added = await place.run(["memory", "add", "The oven is hot", "--json"], { env });
    const found = await place.run(["memory", "search", "The oven is hot", "--json"], { env });
    expect(JSON.parse(found.stdout)).toMatchObject({
      mode: "hybrid",
      notice: null,
      chunks: [{ score: expect.closeTo(1, 3) }],
    });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${token}`,
      `Bearer ${token}`,
    ]);
    const wrong = await place.run(["memory", "add", "More", "--set", "memory.embedding.dimensions=9"], {
      env,
    });
    expect(wrong.stderr + wrong.stdout).toMatch(/8 dimensions instead of 9/);
    for (const { stdout, stderr } of [added, found, wrong]) expect(stdout + stderr).not.toContain(token);
  });

  it.each([
    [["memory", "search", "x", "--mode", "magic"], "mode"],
    [["memory", "add", "x", "--importance", "7"], "importance"],
    [["memory", "index"], "PATH"],
    [["memory", "add", " "], "text"],
  ])("refuses %j", async (args, field) => {
    expect(await newPlace().failure(args)).toMatchObject({
      code: 1,
      error: { code: "VALIDATION_ERROR", field },
    });
  });
});

describe("memory index --watch", () => {
  it("takes up changes of files until Ctrl-C", async () => {
    const place = newPlace();
    mkdirSync(place.path("notes"));
    writeFileSync(place.path("notes", "boats.md"), "The boat is red.\n");
    const watcher = new LineProcess(BIN, ["memory", "index", "notes", "--watch", "--json"], {
      cwd: place.folder,
      env: { ...process.env, COLLOQUY_STATE_DIR: place.state },
    });
    const printed = (): string => watcher.lines.join("\n");
    await until(() => printed().includes('"chunks":1'), printed);
    writeFileSync(place.path("notes", "harbour.md"), "The harbour is closed.\n");
    await until(() => printed().includes('"chunks":2'), printed);
    watcher.signal("SIGINT");
    expect((await watcher.closed).code).toBe(0);
    const { chunks } = await place.json(["memory", "search", "harbour"]);
    expect(chunks[0].text).toBe("The harbour is closed.");
  });
});
