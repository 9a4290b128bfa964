import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { Liveness } from "./liveness.ts";

const CHILD = `
  const { Liveness } = await import(${JSON.stringify(new URL("./liveness.ts", import.meta.url).href)});
  const liveness = new Liveness(process.argv[1]);
  liveness.announce();
  process.stdout.write(liveness.id);
  setInterval(() => {}, 1000);
`;

const children: ChildProcess[] = [];

/** A process that announces itself, and its id. */
async function start(folder: string): Promise<{ child: ChildProcess; id: string }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", CHILD, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [id] = await once(child.stdout as NodeJS.ReadableStream, "data");
  return { child, id: String(id) };
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

describe("liveness", () => {
  it("creates nothing before it is announced, and then a private file", () => {
    const folder = join(tempFolder(), "alive");
    const liveness = new Liveness(folder);
    expect(liveness.isAlive(liveness.id)).toBe(true);
    expect(statSync(folder, { throwIfNoEntry: false })).toBeUndefined();
    liveness.announce();
    liveness.announce();
    expect(readdirSync(folder)).toEqual([liveness.id]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, liveness.id)).mode & 0o777).toBe(0o600);
    liveness.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("finds another opener of this process alive until it is closed", () => {
    const folder = tempFolder();
    const [one, two, three] = [new Liveness(folder), new Liveness(folder), new Liveness(folder)];
    one.announce();
    two.announce();
    for (const asker of [two, three, one, three]) expect(asker.isAlive(one.id)).toBe(true);
    one.close();
    expect([two.isAlive(one.id), two.isAlive(two.id), three.isAlive(two.id)]).toEqual([false, true, true]);
    two.close();
  });

  it("finds unknown ids dead, and leaves other files alone", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "notes"), "mine");
    const liveness = new Liveness(join(folder, "alive"));
    expect(liveness.isAlive("../notes")).toBe(false);
    expect(liveness.isAlive("00000000-0000-7000-8000-000000000000")).toBe(false);
    expect(readdirSync(folder)).toEqual(["notes"]);
  });

  it("names the folder in which it cannot announce itself", () => {
    const file = join(tempFolder(), "file");
    writeFileSync(file, "");
    expect(() => new Liveness(join(file, "alive")).announce()).toThrow(/Cannot create .*alive/);
  });

  it("finds a killed process dead, and removes its file", async () => {
    const folder = tempFolder();
    const { child, id } = await start(folder);
    const liveness = new Liveness(folder);
    expect(liveness.isAlive(id)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(readdirSync(folder)).toEqual([id]);
    expect(liveness.isAlive(id)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("finds a suspended process alive", async () => {
    const folder = tempFolder();
    const { child, id } = await start(folder);
    const liveness = new Liveness(folder);
    child.kill("SIGSTOP");
    expect(liveness.isAlive(id)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(liveness.isAlive(id)).toBe(false);
  });
});
