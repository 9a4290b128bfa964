import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { Place, type Printed } from "./run-command.ts";

const OPEN = new URL("../../src/store/open.ts", import.meta.url).href;
const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** A process that is killed in the middle of an answer. */
async function dieAnswering(target: string): Promise<void> {
  const script = `
    const { openStore } = await import(${JSON.stringify(OPEN)});
    const store = await openStore(${JSON.stringify(target)});
    const chat = await store.open("notes:a");
    await chat.append({ role: "user", content: "Tell me a story." });
    const turn = await chat.beginTurn({ model: "m-1" });
    await turn.delta("Once upon a time\\nthere was");
    process.kill(process.pid, "SIGKILL");
  `;
  const args = ["--input-type=module", "-e", script];
  await promisify(execFile)(process.execPath, args, { cwd: PROJECT }).catch(() => {});
}

for (const engine of ["sqlite", "jsonl"] as const) {
  describe(`an unfinished answer on ${engine}`, () => {
    const named = (place: Place): { target: string; sessions: (...args: string[]) => string[] } => {
      const target = `${engine}:${place.path(engine === "sqlite" ? "agent.db" : "chats")}`;
      return { target, sessions: (...args) => ["sessions", ...args, "--store", target] };
    };

    it("of a killed process is shown until the next write", async () => {
      using place = new Place();
      const { target, sessions } = named(place);
      await dieAnswering(target);
      const turn = {
        text: "Once upon a time\nthere was",
        startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        model: "m-1",
      };
      for (let time = 0; time < 2; time++) {
        const { info, messages, turn: found } = await place.json(sessions("history", "notes:a"));
        expect([info.messageCount, messages.length, found]).toEqual([1, 1, turn]);
        expect(Object.keys(messages[0])).toEqual(["role", "text", "at", "id"]);
      }
      for (const args of [[], ["--branch", "main"], ["--all"]])
        expect((await place.json(sessions("show", "notes:a", ...args))).turn).toEqual(turn);
      const words =
        "\n\nAn answer is in progress or was left unfinished (started just now by m-1):\n" +
        "  Once upon a time\n  there was\n";
      for (const command of ["history", "show"]) {
        const { stdout } = await place.run(sessions(command, "notes:a"));
        expect(stdout.endsWith(words)).toBe(true);
      }

      await place.json(sessions("append", "notes:a", "--role", "user", "--content", "And?"));
      const after = await place.json(sessions("history", "notes:a"));
      expect(after.turn).toBeNull();
      expect(after.messages.map((one: Printed) => [one.text, one.endState])).toEqual([
        ["Tell me a story.", undefined],
        ["Once upon a time\nthere was", "interrupted"],
        ["And?", undefined],
      ]);
      expect((await place.run(sessions("history", "notes:a"))).stdout).toContain(
        "\n\nassistant (interrupted) · just now\n  Once upon a time\n",
      );
      expect((await place.run(sessions("show", "notes:a"))).stdout).toMatch(
        / 2 +assistant \(interrupted\) +just now +Once upon a time there was\n/,
      );
    });

    it("in progress is shown on its branch, and mentioned on others", async () => {
      using place = new Place();
      const { target, sessions } = named(place);
      await using store = await openStore(target);
      const chat = await store.open("notes:a");
      await chat.branch(null, { name: "idea" });
      const turn = await chat.beginTurn();
      const { stdout, stderr } = await place.run(sessions("history", "notes:a"));
      expect([stdout, stderr]).toEqual([
        "An answer is in progress or was left unfinished (started just now)\n",
        "",
      ]);
      await turn.delta("Word");
      expect((await place.json(sessions("history", "notes:a"))).turn.text).toBe("Word");
      for (const command of ["history", "show"]) {
        const args = sessions(command, "notes:a", "--branch", "idea");
        expect((await place.json(args)).turn).toBeNull();
        expect((await place.run(args)).stderr).toMatch(
          /An answer is in progress or was left unfinished on the branch main\.\n$/,
        );
      }
      await turn.finish("stopped");
      const { messages, turn: none } = await place.json(sessions("history", "notes:a"));
      expect([messages[0].text, messages[0].endState, none]).toEqual(["Word", "stopped", null]);
      expect((await place.run(sessions("history", "notes:a"))).stdout).toMatch(/^assistant \(stopped\) · /);
    });
  });
}
