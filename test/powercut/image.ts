/**
 * An ext4 file system in a file, that can lose its power, or not answer for a while.
 *
 * The filesystem-shutdown ioctl stops every write at once and drops the
 * journal that is not on the disk yet: after mounting again only what was
 * synced is certain to be there, as after a real cut. What it cannot show: a
 * disk that lies about its cache, and writes that are torn inside a sector.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IMAGE_BYTES = 128 * 1024 * 1024;

/** 0x8004587d is EXT4_IOC_SHUTDOWN, 2 its flag for "without flushing the log". Linux's monotonic clock is Node's too. */
const CUT = `
import fcntl, os, struct, sys, time
folder = os.open(sys.argv[1], os.O_RDONLY)
print("ready", flush=True)
sys.stdin.readline()
before = time.monotonic_ns()
fcntl.ioctl(folder, 0x8004587d, struct.pack("I", 2))
print(before, flush=True)
`;

const STALL = `fsfreeze --freeze "$0" && echo stalled && sleep "$1"; fsfreeze --unfreeze "$0"`;

/** Why a power cut cannot be made on this machine, or `undefined` when it can. */
export function obstacle(): string | undefined {
  if (process.platform !== "linux") return "this is not Linux";
  if (process.getuid?.() !== 0) return "it needs root, to mount a file system";
  for (const command of ["mkfs.ext4", "losetup", "mount", "fsfreeze", "python3"]) {
    if (!succeeds("sh", "-c", `command -v ${command}`)) return `${command} is not installed`;
  }
  if (!succeeds("losetup", "-f")) return "there is no free loop device";
  return undefined;
}

export class DiskImage {
  readonly #folder: string;
  readonly #image: string;
  readonly #device: string;
  readonly #atExit = (): void => this[Symbol.dispose]();
  /** Where it is mounted. */
  readonly mount: string;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), "colloquy-powercut-"));
    this.#image = join(this.#folder, "disk.img");
    this.mount = join(this.#folder, "mnt");
    mkdirSync(this.mount);
    const file = openSync(this.#image, "wx");
    ftruncateSync(file, IMAGE_BYTES);
    closeSync(file);
    run("mkfs.ext4", "-q", "-F", this.#image);
    this.#device = run("losetup", "--find", "--show", this.#image).trim();
    // Also on Ctrl-C: a mount must not be left over.
    process.once("exit", this.#atExit);
    try {
      run("mount", this.#device, this.mount);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Get ready for a cut, so that it then comes without delay. It returns when it began, in nanoseconds. */
  async prepareCut(): Promise<() => Promise<bigint>> {
    const python = spawn("python3", ["-c", CUT, this.mount], { stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(python, "close");
    let text = "";
    python.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    await Promise.race([once(python.stdout, "data"), ended]);
    return async () => {
      python.stdin.end("\n");
      // Until it has ended it has the folder open, which would keep it mounted.
      await ended;
      const [, ns] = /^ready\n(\d+)\n$/.exec(text) ?? [];
      if (ns === undefined) throw new Error(`The power could not be cut: ${text}`);
      return BigInt(ns);
    };
  }

  /**
   * For so long every write waits, as for a disk that does not answer. Resolves when that has begun, to a function that
   * waits for its end. Another process ends it: one that writes to the disk itself may be waiting.
   */
  async stall(ms: number): Promise<() => Promise<void>> {
    const seconds = String(ms / 1000);
    const shell = spawn("sh", ["-c", STALL, this.mount, seconds], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(shell, "close");
    await Promise.race([once(shell.stdout, "data"), ended]);
    if (shell.exitCode !== null) throw new Error("The disk could not be stalled");
    return async () => void (await ended);
  }

  /** Switch on again: the journal is replayed, as after a real cut. */
  remount(): void {
    run("umount", this.mount);
    run("mount", this.#device, this.mount);
  }

  [Symbol.dispose](): void {
    process.removeListener("exit", this.#atExit);
    if (succeeds("mountpoint", "-q", this.mount)) run("umount", "-l", this.mount);
    if (existsSync(this.#device)) run("losetup", "--detach", this.#device);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function succeeds(command: string, ...values: string[]): boolean {
  return spawnSync(command, values).status === 0;
}

function run(command: string, ...values: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, values, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${values.join(" ")}: ${stderr}`);
  return stdout;
}
