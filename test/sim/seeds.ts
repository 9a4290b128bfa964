/**
 * Which seeds a simulation runs.
 *
 *     COLLOQUY_SIM_SEED=1234 npx vitest run test/sim     one seed again, the one that a failure printed
 *     COLLOQUY_SIM_RUNS=20000 npx vitest run test/sim    more seeds than the usual few hundred
 *     COLLOQUY_SIM_FIRST=5000 …                          other seeds: start from this one
 */
export function seeds(usual: number): number[] {
  const { COLLOQUY_SIM_SEED, COLLOQUY_SIM_RUNS, COLLOQUY_SIM_FIRST } = process.env;
  if (COLLOQUY_SIM_SEED !== undefined) return [Number(COLLOQUY_SIM_SEED)];
  const first = Number(COLLOQUY_SIM_FIRST ?? 0);
  return Array.from({ length: Number(COLLOQUY_SIM_RUNS ?? usual) }, (_, index) => first + index);
}

/** Run one seed; a failure names it. */
export async function replayable(seed: number, run: (seed: number) => Promise<void> | void): Promise<void> {
  try {
    await run(seed);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`seed ${seed} fails (COLLOQUY_SIM_SEED=${seed} replays it): ${reason}`, { cause: error });
  }
}

/** The first failure of this kind, for controls that must turn red. */
export async function firstFailure(
  list: readonly number[],
  kind: RegExp,
  run: (seed: number) => Promise<void> | void,
): Promise<string | undefined> {
  for (const seed of list) {
    try {
      await run(seed);
    } catch (error) {
      const { message } = error as Error;
      if (kind.test(message)) return `seed ${seed}: ${message}`;
    }
  }
  return undefined;
}
