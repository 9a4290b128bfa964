/** A machine for `doctor`: its home is empty, and no keys are in the environment. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Place, type Printed, type Result } from "./run-command.ts";

/** The machine that runs the tests may have keys of its own. */
const CLEAN = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => /^(AWS_|OLLAMA_|OPENCLAW_|DBUS_)|_(KEY|TOKEN)$/.test(name))
    .map((name) => [name, ""]),
);

export interface Report {
  readonly code: number;
  readonly ok: boolean;
  readonly findings: readonly Printed[];
  readonly fixed: readonly Printed[] | undefined;
  /** Of the findings, each with its severity. */
  readonly codes: readonly string[];
}

export class DoctorPlace extends Place {
  readonly env: Readonly<Record<string, string>> = {
    ...CLEAN,
    HOME: this.folder,
    COLLOQUY_KEY_STORE: "file",
  };

  write(name: string, content: string | object): string {
    const path = join(this.state, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
    return path;
  }

  command(args: readonly string[], more: Readonly<Record<string, string>> = {}, input = ""): Promise<Result> {
    return this.run(args, { env: { ...this.env, ...more }, input });
  }

  async doctor(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Report> {
    return this.#reported(await this.command(["doctor", "--json", ...args], env));
  }

  /** As another user. */
  async doctorAs(uid: number | undefined): Promise<Report> {
    return this.#reported(await this.run(["doctor", "--json"], { env: this.env, uid }));
  }

  #reported({ code, stdout, stderr }: Result): Report {
    if (stdout === "") throw new Error(stderr);
    const { ok, findings, fixed } = JSON.parse(stdout);
    const codes = findings.map((found: Printed) => `${found.severity} ${found.code}`);
    return { code, ok, findings, fixed, codes };
  }

  /** Every file with its content and permissions. */
  everything(): Readonly<Record<string, string>> {
    const names = readdirSync(this.folder, { recursive: true, encoding: "utf8" }).sort();
    return Object.fromEntries(
      names.map((name) => {
        const stat = lstatSync(join(this.folder, name));
        const content = stat.isFile() ? readFileSync(join(this.folder, name), "latin1") : "";
        return [name, `${stat.mode.toString(8)} ${stat.mtimeMs} ${content}`];
      }),
    );
  }
}
