/** Ctrl-C stops long work cleanly; a second one ends the program at once. */
export interface Interrupt {
  readonly signal: AbortSignal;
  end(): void;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export function stopOnInterrupt(): Interrupt {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
    for (const name of SIGNALS) process.off(name, stop);
  };
  for (const name of SIGNALS) process.on(name, stop);
  return {
    signal: controller.signal,
    end: () => {
      for (const name of SIGNALS) process.off(name, stop);
    },
  };
}
