/** Patches a session index: `agentDir name count`. Tells of each patch when it is done. */
import { writeSync } from "node:fs";
import { patchSessionEntry } from "../../src/state/session-index/patch.ts";

const [agentDir = "", name = "", count = "0"] = process.argv.slice(2);

for (let number = 0; number < Number(count); number++) {
  // An entry that every process changes, each in its own field, and one entry per process.
  await patchSessionEntry({
    agentDir,
    sessionKey: "cli:shared",
    patch: (current) => ({ [name]: Number(current?.[name] ?? 0) + 1, sessionId: "shared" }),
  });
  await patchSessionEntry({
    agentDir,
    sessionKey: `web:${name}-${number}`,
    patch: { sessionId: `${name}-${number}` },
  });
  writeSync(1, `${number}\n`);
}
