import { type RunningGateway, readRunning } from "../../../gateway/auth/records/running.ts";
import { listenSettings, urlOf } from "../../../gateway/listen-settings.ts";
import { loadConfig } from "../../../state/config/load.ts";
import { defined } from "../../../util/json.ts";
import { objectIn } from "../../../util/values.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../../exit.ts";
import { configOptions } from "../../input/config-options.ts";
import { givenNumber } from "../../input/integer.ts";
import { withRecords } from "../token/with-records.ts";
import { answers } from "./answers.ts";

export async function run(call: Call): Promise<Result> {
  const port = givenNumber(call, "port");
  const noted =
    port === undefined ? await withRecords(call, ({ records }) => readRunning(records)) : undefined;
  const url = noted?.url ?? (await configuredUrl(call, port));
  const running = await answers(url);
  const config = running ? (noted?.config ?? null) : null;
  return {
    json: { running, url, config },
    lines: [
      `${running ? "A gateway" : "No gateway"} answers at ${safeLine(url)}`,
      ...(config === null ? [] : configLines(config)),
    ],
    exit: running ? EXIT_DONE : EXIT_PROBLEMS,
  };
}

async function configuredUrl(call: Call, port: number | undefined): Promise<string> {
  const { value } = await loadConfig({ ...configOptions(call), sections: ["gateway"] });
  return urlOf({ ...listenSettings(objectIn(value.gateway) ?? {}), ...defined({ port }) });
}

function configLines({ problem, restart }: RunningGateway["config"]): string[] {
  return [
    ...(problem === null ? [] : [`The config is refused, and the last good one stays: ${safeLine(problem)}`]),
    ...(restart.length === 0
      ? []
      : [`These settings take effect with its next start: ${restart.join(", ")}`]),
  ];
}
