/** Tests never touch the real home folder: whatever asks for it gets one that is thrown away. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const home = mkdtempSync(join(tmpdir(), "colloquy-home-"));
process.env.HOME = home;
process.env.COLLOQUY_STATE_DIR = join(home, ".colloquy");
delete process.env.COLLOQUY_STORE;

afterAll(() => rmSync(home, { recursive: true, force: true }));
