/** A store that may only be read: by its permissions, or because the file system is mounted that way. */
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Child, canRunAs, ENGINES, Folder, isRoot, lacks, must, user } from "./child-process.ts";

const REFUSED = { ok: false, error: { code: "SERVICE_UNAVAILABLE" } };
const NOBODY = 65_534;
/** Root can write everywhere, so its children run as the user nobody. */
const AS_SOMEBODY: { uid?: number } = isRoot ? { uid: NOBODY } : {};
const noOther = lacks(!isRoot || canRunAs(NOBODY), "missing permissions: nobody cannot read this checkout");
const noMount = lacks(isRoot, "a read-only mount needs root");

/** A store in a separate folder, closed properly or left over by a killed writer. */
async function write(folder: Folder, engine: (typeof ENGINES)[number], killed: boolean): Promise<string> {
  const inner = join(folder.path, "inner");
  mkdirSync(inner);
  await using child = new Child();
  await child.do("open", `${engine}:${inner}/store`, {});
  await child.do("append", "cli:x", user("kept"));
  if (!killed) await child.do("close");
  return inner;
}

function takeWriteAway(path: string): void {
  const isFolder = statSync(path).isDirectory();
  if (isFolder) for (const name of readdirSync(path)) takeWriteAway(join(path, name));
  chmodSync(path, isFolder ? 0o555 : 0o444);
}

async function expectReadable(target: string, options: { uid?: number }): Promise<void> {
  await using writer = new Child(options);
  const opened = await writer.try("open", target, {});
  // Some engines notice when they open, some when they first write; both say so.
  const result = opened.ok ? await writer.try("append", "cli:x", user("refused")) : opened;
  expect(result).toMatchObject(REFUSED);
  await using reader = new Child(options);
  await reader.do("open", target, { readonly: true });
  expect(await reader.do("texts", "cli:x")).toEqual(["kept"]);
  expect(await reader.try("append", "cli:x", user("refused"))).toMatchObject(REFUSED);
  expect(await reader.do("verify")).toEqual([]);
}

describe.each(ENGINES)("a %s store", (engine) => {
  describe.each([
    ["closed properly", false],
    ["left by a killed writer", true],
  ])("%s", (_, killed) => {
    it.skipIf(noOther)("without write permission can be read and refuses writes", async () => {
      using folder = new Folder();
      folder.share();
      const inner = await write(folder, engine, killed);
      takeWriteAway(inner);
      await expectReadable(`${engine}:${inner}/store`, AS_SOMEBODY);
    });

    it.skipIf(noMount)("on a read-only mount can be read and refuses writes", async () => {
      using folder = new Folder();
      const inner = await write(folder, engine, killed);
      must("mount", "--bind", inner, inner);
      try {
        must("mount", "-o", "remount,ro,bind", inner);
        await expectReadable(`${engine}:${inner}/store`, {});
      } finally {
        must("umount", "-l", inner);
      }
    });
  });
});
