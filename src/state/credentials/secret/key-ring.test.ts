import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { systemIo } from "../../../disk/file-io.ts";
import { systemRandom } from "../../../util/uuid.ts";
import { KeyRing } from "./key-ring.ts";

interface Setup {
  readonly env?: Record<string, string>;
  readonly platform?: string;
}

function open(stateDir: string, { env = {}, platform = "linux" }: Setup = {}) {
  const notices: string[] = [];
  const notice = (text: string): void => void notices.push(text);
  return {
    notices,
    ring: new KeyRing({ stateDir, env, io: systemIo, random: systemRandom, notice, platform }),
    file: join(stateDir, "credentials", "seal-keys.json"),
  };
}

/** Stands for the system's key store: keeps what it is given in files, and its arguments beside them. */
function fakeStore(
  name: "secret-tool" | "security",
  body: string,
): { env: Record<string, string>; folder: string } {
  const folder = tempFolder();
  const script = `#!/bin/sh\necho "$@" >> ${folder}/arguments\n${body.replaceAll("FOLDER", folder)}\n`;
  writeFileSync(join(folder, name), script, { mode: 0o755 });
  const PATH = `relative:${folder}:/usr/bin:/bin`;
  return { env: { PATH, DBUS_SESSION_BUS_ADDRESS: "unix:path=/none" }, folder };
}

const SECRET_TOOL = `case $1 in
  store) cat > FOLDER/$6 ;;
  lookup) cat FOLDER/$5 ;;
esac`;

const SECURITY = `case $1 in
  -i) read -r _ _ _ _ id _ key; printf %s "$key" > FOLDER/$id ;;
  find-generic-password) cat FOLDER/$5 ;;
esac`;

describe("the keys that seal secrets", () => {
  it("are stored in a private file and found again", async () => {
    const state = tempFolder();
    const { ring, file } = open(state);
    const key = await ring.current();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(state, "credentials")).mode & 0o777).toBe(0o700);
    expect(await open(state).ring.current()).toEqual(key);
    expect(await open(state).ring.byId(key.id)).toEqual({ key });
  });

  it("are created once when several callers need the first at once", async () => {
    const state = tempFolder();
    const keys = await Promise.all([1, 2, 3, 4].map(() => open(state).ring.current()));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
  });

  it("are made private again, with a notice", async () => {
    const state = tempFolder();
    const { ring, file } = open(state);
    await ring.current();
    chmodSync(file, 0o644);
    chmodSync(join(state, "credentials"), 0o755);
    const again = open(state);
    await again.ring.current();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(state, "credentials")).mode & 0o777).toBe(0o700);
    expect(again.notices).toEqual([
      expect.stringContaining("credentials was open to others (0755): changed to 0700"),
      expect.stringContaining("seal-keys.json was open to others (0644): changed to 0600"),
    ]);
  });

  it("stay when a new one is created", async () => {
    const { ring } = open(tempFolder());
    const old = await ring.current();
    const next = await ring.rotate();
    expect(next.id).not.toBe(old.id);
    expect((await ring.current()).id).toBe(next.id);
    expect(await ring.byId(old.id)).toEqual({ key: old });
  });

  it("are never replaced because their file is damaged", async () => {
    const { ring, file } = open(tempFolder());
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, '{"version":1,"keys":{"0123456789ab":{"key":"canary-key-material');
    await expect(ring.current()).rejects.toThrow(/seal-keys\.json is damaged in line 1, column 64/);
    await expect(ring.current()).rejects.not.toThrow(/canary/);
    expect(readFileSync(file, "utf8")).toContain("canary-key-material");
  });
});

describe.each([
  ["secret-tool", SECRET_TOOL, "linux"],
  ["security", SECURITY, "darwin"],
] as const)("the system's key store (%s)", (name, body, platform) => {
  it("stores the key, which is on no command line and not in our file", async () => {
    const state = tempFolder();
    const { env, folder } = fakeStore(name, body);
    const { ring, file, notices } = open(state, { env, platform });
    const key = await ring.current();
    const hex = key.bytes.toString("hex");
    expect(notices).toEqual([]);
    expect(JSON.parse(readFileSync(file, "utf8")).keys).toEqual({ [key.id]: { store: name } });
    expect(readFileSync(join(folder, key.id), "utf8")).toBe(hex);
    expect(readFileSync(join(folder, "arguments"), "utf8")).not.toContain(hex);
    expect(await open(state, { env, platform }).ring.current()).toEqual(key);
  });

  it("is distinguished from a session without one", async () => {
    const state = tempFolder();
    const { env } = fakeStore(name, body);
    const { id } = await open(state, { env, platform }).ring.current();
    const without = open(state, { env: {}, platform });
    expect(await without.ring.byId(id)).toEqual({
      reason: `its key is in ${name}, which is not available in this session`,
    });
    expect((await without.ring.current()).id).not.toBe(id);
    expect(without.notices[0]).toContain("creating a new one");
    // Both are known from now on.
    expect(await open(state, { env, platform }).ring.byId(id)).toHaveProperty("key");
  });

  it("is not trusted when it does not return the key", async () => {
    const { env } = fakeStore(name, "exit 0");
    const { ring, file, notices } = open(tempFolder(), { env, platform });
    const { id, bytes } = await ring.current();
    expect(JSON.parse(readFileSync(file, "utf8")).keys[id]).toEqual({ key: bytes.toString("base64") });
    expect(notices[0]).toContain(`${name} did not keep the key`);
  });

  it("is not used when the user opts out", async () => {
    const { env } = fakeStore(name, body);
    const { ring, file } = open(tempFolder(), { env: { ...env, COLLOQUY_KEY_STORE: "file" }, platform });
    const { id } = await ring.current();
    expect(JSON.parse(readFileSync(file, "utf8")).keys[id]).toHaveProperty("key");
  });
});
