import { PORT } from "../../../gateway/listen.ts";
import { loadConfig } from "../../../state/config/load.ts";
import { numberIn, objectIn } from "../../../util/values.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../../exit.ts";
import { configOptions } from "../../input/config-options.ts";
import { givenNumber } from "../../input/integer.ts";

const WAIT_MS = 2000;

export async function run(call: Call): Promise<Result> {
  const { value } = await loadConfig({ ...configOptions(call), sections: ["gateway"] });
  const port = givenNumber(call, "port") ?? numberIn(objectIn(value.gateway)?.port) ?? PORT;
  const url = `http://127.0.0.1:${port}`;
  const running = await answers(url);
  return {
    json: { running, url },
    lines: [running ? `A gateway answers at ${url}` : `No gateway answers at ${url}`],
    exit: running ? EXIT_DONE : EXIT_PROBLEMS,
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, {
      signal: AbortSignal.timeout(WAIT_MS),
      redirect: "error",
    });
    return response.ok && ((await response.json()) as { ok?: unknown }).ok === true;
  } catch {
    return false;
  }
}
