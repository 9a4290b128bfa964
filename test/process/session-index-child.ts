/** Patches a session index: `agentDir name count`. Tells of each patch when it is done. */
import { writeSync } from "node:fs";
import { patchSessionEntry } from "../../src/state/session-index/patch.ts";

const [agentDir = "", name = "", count = "0"] = process.argv.slice(2);

for (let number = 0; number < Number(count); number++) {
  // An entry that everybody changes, each in a field of his own, and one of his own.
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
