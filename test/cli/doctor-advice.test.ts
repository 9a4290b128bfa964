/** What the doctor advises is pasted into a shell here, and must help. */
import { execFile } from "node:child_process";
import { chmodSync, chownSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { canRunAs, isRoot, lacks } from "../process/child-process.ts";
import { createWithKeys } from "../support/samples/old-keys.ts";
import { DoctorPlace } from "./doctor-place.ts";
import { BIN, type Printed } from "./run-command.ts";

const NOBODY = 65_534;
const noOther = lacks(!isRoot || canRunAs(NOBODY), "missing permissions: nobody cannot read this checkout");

/** The command after the last colon and space. */
function adviceOf({ fix }: Printed): string {
  return fix.slice(fix.lastIndexOf(": ") + 2);
}

function paste(place: DoctorPlace, command: string): Promise<number> {
  const env = { ...process.env, ...place.env, COLLOQUY_STATE_DIR: place.state };
  // As after an installation.
  const installed = `colloquy() { '${process.execPath}' '${BIN}' "$@"; }`;
  return new Promise((resolve) => {
    execFile("/bin/sh", ["-c", `${installed}; ${command}`], { cwd: place.folder, env }, (error) => {
      resolve(error === null ? 0 : Number(error.code ?? -1));
    });
  });
}

describe("the advice of the doctor", () => {
  it("joins conversations of one key, allows deep branches and closes files", async () => {
    using place = new DoctorPlace();
    const config = place.write("colloquy.json", "{ sessions: { tree: { max_depth: 2 } } }");
    const target = `sqlite:${place.path("state", "conversations.db")}`;
    const [, newer] = await createWithKeys(target, ["CLI:Default", "cli:local"]);
    {
      await using store = await openStore(target, { onWarning: () => {} });
      const chat = await store.open("notes:deep");
      for (const name of ["b", "c"]) {
        const { entries } = await chat.append({ role: "user", content: name });
        await chat.branch(entries[0]?.id ?? null, { name, checkout: true });
      }
      await chat.append({ role: "user", content: "d" });
    }
    chmodSync(config, 0o644);
    const { code, findings, codes } = await place.doctor();
    expect(code).toBe(3);
    expect(codes).toEqual(["warning open-file", "warning deep-branch", "warning twin-keys"]);
    for (const found of findings) expect(await paste(place, adviceOf(found)), adviceOf(found)).toBe(0);
    expect((await place.doctor()).codes).toEqual([]);
    const { stdout } = await place.command(["sessions", "show", "CLI:Default", "--json"]);
    expect(JSON.parse(stdout).info).toMatchObject({ id: newer, key: "cli:default" });
  });

  it.skipIf(noOther)("makes a state folder writable again", async () => {
    using place = new DoctorPlace();
    place.write("colloquy.json", "{}");
    const uid = isRoot ? NOBODY : undefined;
    if (uid !== undefined) for (const path of [place.folder, place.state]) chownSync(path, uid, uid);
    chmodSync(place.state, 0o500);
    const codes = async () => (await place.doctorAs(uid)).findings as Printed[];
    const before = await codes();
    expect(before.map(({ code }) => code)).toContain("not-writable");
    await paste(place, adviceOf(before.find(({ code }) => code === "not-writable")));
    expect((await codes()).map(({ code }) => code)).not.toContain("not-writable");
  });
});
