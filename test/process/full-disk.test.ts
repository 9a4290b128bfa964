/** A real limit on the size of files, at every byte of an append; a real file system without room. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Child, ENGINES, Folder, has, isRoot, lacks, must, user } from "./child-process.ts";

const TEXT = "Zwölf Boxkämpfer 世界 😀 ".repeat(3);
const REFUSED = { ok: false, error: { code: "SERVICE_UNAVAILABLE" } };

/** The file that an append goes to: the log of the only conversation, or SQLite's write-ahead log. */
function appendedFile(folder: Folder, engine: (typeof ENGINES)[number]): string {
  if (engine === "sqlite") return join(folder.path, "store-wal");
  const names = readdirSync(join(folder.path, "store"));
  return join(folder.path, "store", names.find((name) => name.endsWith(".jsonl")) as string);
}

/** Limit a running process. Node ignores the signal, so the write ends short or fails with EFBIG. */
function limitFiles(child: Child, bytes: number | "unlimited"): void {
  must("prlimit", "--pid", String(child.pid), `--fsize=${bytes}:unlimited`);
}

describe.skipIf(lacks(has("prlimit"), "a limit on the size of files needs prlimit"))(
  "a limit on the size of files",
  () => {
    it.each([
      { engine: "jsonl", stepBytes: 1, offsetsMin: 200 },
      // One append writes several pages, each with a header; every byte of them would take a minute.
      { engine: "sqlite", stepBytes: 61, offsetsMin: 60 },
    ] as const)(
      "at any byte of an append to $engine leaves nothing, and the next works without a restart",
      async ({ engine, stepBytes, offsetsMin }) => {
        using folder = new Folder();
        await using child = new Child();
        await child.do("open", folder.target(engine), {});
        // Enough that this is the largest file, and the limit meets no other.
        const texts = Array.from({ length: 20 }, (_, index) => `before ${index} ${"x".repeat(2000)}`);
        for (const text of texts) await child.do("append", "cli:x", user(text));
        const file = appendedFile(folder, engine);
        const { size } = statSync(file);
        const before = readFileSync(file);

        let refused = 0;
        for (let offset = 0; ; offset += stepBytes) {
          limitFiles(child, size + offset);
          const reply = await child.try("append", "cli:x", user(TEXT));
          if (reply.ok) break;
          expect(reply, `offset ${offset}`).toMatchObject(REFUSED);
          expect(++refused, "appends are still refused without a limit that could matter").toBeLessThan(2000);
          if (engine === "jsonl") expect(readFileSync(file).equals(before), `offset ${offset}`).toBe(true);
        }
        expect(refused).toBeGreaterThan(offsetsMin);

        limitFiles(child, size);
        expect(await child.try("append", "cli:x", user("refused"))).toMatchObject(REFUSED);
        limitFiles(child, "unlimited");
        await child.do("append", "cli:x", user("after"));
        await using second = new Child();
        await second.do("open", folder.target(engine), { readonly: true });
        expect(await second.do("texts", "cli:x")).toEqual([...texts, TEXT, "after"]);
        expect(await second.do("verify")).toEqual([]);
      },
    );
  },
);

describe.skipIf(lacks(isRoot, "a full file system needs root, to mount a small tmpfs"))(
  "a file system without room",
  () => {
    it.each(ENGINES)(
      "refuses appends to %s until there is room, and keeps what it acknowledged",
      async (engine) => {
        using folder = new Folder();
        must("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder.path);
        try {
          await fillAndMakeRoom(folder, engine);
        } finally {
          must("umount", "-l", folder.path);
        }
      },
    );
  },
);

async function fillAndMakeRoom(folder: Folder, engine: (typeof ENGINES)[number]): Promise<void> {
  await using child = new Child();
  const ballast = join(folder.path, "ballast");
  writeFileSync(ballast, Buffer.alloc(1_200_000));
  await child.do("open", folder.target(engine), {});
  const kept: string[] = [];
  const write = async (): Promise<boolean> => {
    const text = `${kept.length} ${"x".repeat(3000)}`;
    const reply = await child.try("append", "cli:x", user(text));
    if (reply.ok) kept.push(text);
    else expect(reply).toMatchObject(REFUSED);
    return reply.ok;
  };
  while (await write());
  expect(kept.length).toBeGreaterThan(20);
  for (let again = 0; again < 5; again++) expect(await write()).toBe(false);

  rmSync(ballast);
  // Metadata that could not be refreshed on the full disk is reported once, by the call that comes next.
  expect((await write()) || (await write())).toBe(true);
  for (let again = 0; again < 5; again++) expect(await write()).toBe(true);
  await using second = new Child();
  await second.do("open", folder.target(engine), { readonly: true });
  expect(await second.do("texts", "cli:x")).toEqual(kept);
  expect(await second.do("verify")).toEqual([]);
}
