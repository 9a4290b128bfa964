import { invalid } from "../../../errors.ts";
import type { Clock } from "../../../util/time.ts";
import { isoTime } from "../../../util/time.ts";
import { defineTool } from "../define-tool.ts";
import type { Tool } from "../tool.ts";

export function currentTime(clock: Clock = Date.now): Tool {
  return defineTool({
    name: "current_time",
    description: "The current date, weekday and time, in UTC and in a time zone",
    inputSchema: {
      type: "object",
      properties: {
        timeZone: {
          type: "string",
          description: "Such as Europe/Berlin. Default: that of this machine",
          maxLength: 64,
        },
      },
      additionalProperties: false,
    },
    mayRepeat: true,
    run: ({ timeZone }) => {
      const now = clock();
      const format = formatter(timeZone);
      return { utc: isoTime(now), local: format.format(now), timeZone: format.resolvedOptions().timeZone };
    },
  });
}

function formatter(timeZone: string | undefined): Intl.DateTimeFormat {
  const zone = timeZone === undefined ? {} : { timeZone };
  try {
    return new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", ...zone });
  } catch {
    throw invalid(`${timeZone} is not a time zone. Use a name such as Europe/Berlin`, "timeZone");
  }
}
