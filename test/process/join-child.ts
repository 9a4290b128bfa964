/** Joins the conversations of one key, and is killed right after its first commit. Prints "done" if there was none. */
import { checkKeys } from "../../src/doctor/keys/twins.ts";
import { openStore } from "../../src/store/open.ts";
import { openEngine } from "../../src/store/open-engine.ts";

const options = { readonly: false, durability: "full", lockWaitMs: 1000, onProblem: () => {} } as const;
const engine = await openEngine(process.argv[2] as string, options);
const commit = engine.commit.bind(engine);
engine.commit = async (operations) => {
  await commit(operations);
  process.kill(process.pid, "SIGKILL");
  return await new Promise(() => {});
};
await checkKeys(await openStore(engine), []);
process.stdout.write("done");
process.exit(0);
