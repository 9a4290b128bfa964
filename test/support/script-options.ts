/** The options of a script. `--help` shows its usage; an unknown option ends it with exit code 2. */
import { type ParseArgsConfig, parseArgs } from "node:util";

type Values = Readonly<Record<string, string | boolean | undefined>>;

export function scriptOptions<T extends NonNullable<ParseArgsConfig["options"]>>(
  usage: string,
  options: T,
): ReturnType<typeof parseArgs<{ options: T }>>["values"] {
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    const { values } = parseArgs({ options });
    checkValues(values as Values);
    return values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

/** Options of several scripts mean the same in each. */
function checkValues({ engine, durability, ...others }: Values): void {
  if (engine !== undefined && engine !== "sqlite" && engine !== "jsonl")
    throw new Error(`--engine is sqlite or jsonl, not "${engine}"`);
  if (durability !== undefined && durability !== "full" && durability !== "process")
    throw new Error(`--durability is full or process, not "${durability}"`);
  for (const [name, value] of Object.entries(others)) {
    if (typeof value === "string" && !/^\d{1,10}$/.test(value))
      throw new Error(`--${name} is an integer, not "${value}"`);
  }
}
